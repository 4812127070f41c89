-- As whom Croft goes to GitHub, and which of its events did not arrive.

-- A credential may be an installation of the GitHub App: its value is the installation's id.
alter table croft.credential drop constraint credential_kind_check;
alter table croft.credential add constraint credential_kind_check
  check (kind in ('token', 'basic', 'ssh-key', 'github-app'));

-- How far GitHub's list of deliveries has been compared with the inbox; one row. The list goes back from the newest, page by page. A look
-- that is not through goes on where it was: its cursor names a delivery, so what arrives meanwhile comes before it and moves nothing.
create table croft.gap_check (
  is_only boolean primary key default true check (is_only),
  dispatcher_id uuid, -- who looks
  checked_until timestamptz, -- all before is known; nothing is if null
  checked_at timestamptz,
  -- What was answered with 2xx before this went to another database than this one, which has handled it.
  answered_until timestamptz,
  era text, -- of the database when that was found out: see croft.event_floor
  newest timestamptz, -- of a look that is not through: where it began, and up to where all will be known
  next_cursor text -- its next page
);
insert into croft.gap_check default values;

-- Events that GitHub has sent and that are not in the inbox, until they arrive or are given up.
create table croft.gap (
  delivery_id text primary key,
  github_id bigint not null, -- of the newest attempt to deliver it
  event text not null,
  found_at timestamptz not null default croft.now(),
  delivered_at timestamptz not null, -- of the oldest that is known
  asked integer not null default 0,
  asked_at timestamptz,
  -- One of its attempts went to another database: not missing. Known until the look is through, because others of its attempts
  -- come on other pages.
  is_answered boolean not null default false
);
