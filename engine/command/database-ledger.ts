// The list of workspaces of this host, in the database: every process, and the dashboard, sees the same.
import { isProcessAlive, type LedgerEntry, type WorkspaceLedger } from "@croft/git";
import { isDatabaseUnavailable } from "../database/is-database-unavailable.ts";
import type { Database } from "../database/open-database.ts";
import { tryAgain } from "../database/try-again.ts";

export class DatabaseLedger implements WorkspaceLedger {
  readonly #database: Database;
  readonly #host: string;

  constructor(database: Database, host: string) {
    this.#database = database;
    this.#host = host;
  }

  async add(entry: LedgerEntry): Promise<boolean> {
    const { rows } = await tryAgain(() =>
      this.#database.pool.query<{ mine: boolean }>(
        "select croft.enter_workspace($1, $2, $3) as mine",
        [entry.id, this.#host, JSON.stringify(entry)],
      ),
    );
    return rows[0]?.mine === true;
  }

  /** Only told: a database that is away keeps no workspace on the disk. */
  async removing(id: string): Promise<void> {
    try {
      await this.#database.pool.query(
        "update croft.workspace set removing_at = croft.now() where id = $1 and host = $2",
        [id, this.#host],
      );
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }

  async remove(id: string): Promise<void> {
    await tryAgain(() =>
      this.#database.pool.query("select croft.leave_workspace($1, $2)", [id, this.#host]),
    );
  }

  async list(): Promise<LedgerEntry[]> {
    const { rows } = await tryAgain(() =>
      this.#database.pool.query<{ entry: LedgerEntry }>(
        "select entry from croft.workspace where host = $1 order by id",
        [this.#host],
      ),
    );
    return rows.map(({ entry }) => entry);
  }

  /**
   * As long as its process lives and the attempt is its own. One that has ended and could not remove its workspace, e.g.
   * because the database was away, would keep it for as long as its process lives.
   */
  async isLive({ process, jobId, attempt }: LedgerEntry): Promise<boolean> {
    if (!isProcessAlive(process)) return false;
    if (jobId === undefined) return true;
    const { rowCount } = await this.#database.pool.query(
      "select from croft.job where id = $1 and attempt = $2 and status = 'running'",
      [jobId, attempt],
    );
    return rowCount === 1;
  }

  /** A row is there or not: there is nothing half written. */
  async sweep(): Promise<void> {}
}
