// The tables as Kysely sees them; the migrations are the truth.
import type { AdminRole } from "@croft/contract";
import type { Generated } from "kysely";

export interface AdminTable {
  id: Generated<string>;
  email: string;
  name: string;
  password_hash: string;
  role: AdminRole;
  created_at: Generated<Date>;
}

export interface SessionTable {
  id: Generated<string>;
  digest: Buffer;
  admin_id: string;
  address: string;
  user_agent: string;
  created_at: Generated<Date>;
  last_seen_at: Generated<Date>;
  expires_at: Date;
}

export interface SetupLinkTable {
  digest: Buffer;
  expires_at: Date;
}

export interface SignInLimitTable {
  bucket: string;
  failures: number;
  window_ends_at: Date;
}

export interface Tables {
  "croft.admin": AdminTable;
  "croft.session": SessionTable;
  "croft.setup_link": SetupLinkTable;
  "croft.sign_in_limit": SignInLimitTable;
}
