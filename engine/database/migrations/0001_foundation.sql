-- The clock, and the people who sign in.

-- All SQL takes the time from here, so that tests can move it: `croft.clock_offset` is set for one session, or for all
-- of them in the server's configuration.
create function croft.now() returns timestamptz
language sql stable parallel safe
as $$
  select now() + coalesce(nullif(current_setting('croft.clock_offset', true), '')::interval, interval '0')
$$;

create table croft.admin (
  id uuid primary key default gen_random_uuid(),
  email text not null unique check (email = lower(email)),
  name text not null,
  password_hash text not null,
  role text not null check (role in ('admin', 'viewer')),
  created_at timestamptz not null default croft.now()
);

-- Only digests of what the browser holds: whoever reads this table cannot sign in with it.
create table croft.session (
  id uuid primary key default gen_random_uuid(),
  digest bytea not null unique,
  admin_id uuid not null references croft.admin on delete cascade,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default croft.now(),
  last_seen_at timestamptz not null default croft.now(),
  expires_at timestamptz not null
);
create index session_admin on croft.session (admin_id);
create index session_expiry on croft.session (expires_at);

-- Links for the first admin; several may be open, because several processes may start before one is used.
create table croft.setup_link (
  digest bytea primary key,
  expires_at timestamptz not null
);

-- Failed sign-ins counted in windows, by address and by e-mail, for all processes together.
create table croft.sign_in_limit (
  bucket text primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);
create index sign_in_limit_end on croft.sign_in_limit (window_ends_at);
