-- What Croft keeps for its owners and shows to nobody: secrets, and credentials for remotes. The keys lie outside the database.

-- Keys by the names that follow from them. New values are written with the current one only; an older one stays as long as
-- a value refers to it, so that none can be forgotten too early.
create table croft.encryption_key (
  id text primary key,
  is_current boolean not null,
  created_at timestamptz not null default croft.now()
);
create unique index encryption_key_current on croft.encryption_key (is_current) where is_current;

create table croft.secret (
  id uuid primary key,
  owner text not null,
  name text not null,
  key_id text not null references croft.encryption_key,
  ciphertext bytea not null,
  seq integer not null default 0,
  created_at timestamptz not null default croft.now(),
  updated_at timestamptz not null default croft.now(),
  last_used_at timestamptz,
  unique (owner, name)
);
create index secret_key on croft.secret (key_id, id);

-- For which remote, and how: the longest path of the host that leads to a repository counts.
create table croft.credential (
  id uuid primary key,
  owner text not null,
  kind text not null check (kind in ('token', 'basic', 'ssh-key')),
  protocol text not null check (protocol in ('https', 'ssh')),
  host text not null,
  path text not null,
  username text not null,
  key_id text not null references croft.encryption_key,
  ciphertext bytea not null,
  state text not null default 'unchecked' check (state in ('unchecked', 'working', 'refused')),
  seq integer not null default 0,
  created_at timestamptz not null default croft.now(),
  updated_at timestamptz not null default croft.now(),
  last_used_at timestamptz,
  checked_at timestamptz,
  expires_at timestamptz,
  unique (owner, protocol, host, path, username)
);
create index credential_key on croft.credential (key_id, id);
