// Installations as GitHub's own example payloads tell of them, in order; what comes late changes nothing.
import { listInstallations, readInstallation, replayEvent } from "@croft/engine";
import { expect, test } from "vitest";
import { exampleOf } from "../../test/support/example-events.ts";
import { inboxScene } from "../../test/support/inbox-scene.ts";

const ID = 957_387;
type Payload = Readonly<Record<string, unknown>>;

/** The same installation in all of them. */
function told(
  event: string,
  action: string,
  change: Payload = {},
  deliveryId = `${event}-${action}`,
): [string, Payload, string] {
  const payload = exampleOf(event, action);
  const installation = { ...(payload["installation"] as object), id: ID };
  return [event, { ...payload, installation, ...change }, deliveryId];
}

async function scene() {
  const inbox = await inboxScene();
  await inbox.dispatch();
  const { pool } = inbox.engine.database;
  return {
    ...inbox,
    tell: async (...args: Parameters<typeof told>) => {
      const received = await inbox.bring(...told(...args));
      await inbox.settled();
      return received;
    },
    known: () => readInstallation(pool, ID),
    /** GitHub sends it now, and it does not arrive. */
    lost: (deliveryId: string) =>
      inbox.query(
        `insert into croft.gap (delivery_id, github_id, event, delivered_at)
         values ($1, 1, 'installation', croft.now())`,
        [deliveryId],
      ),
  };
}

test("who installs the App is known with its repositories, until it is removed", async () => {
  const { tell, known, engine, settled } = await scene();
  const { id: first } = await tell("installation", "created");
  expect(await known()).toMatchObject({
    ...{ account: "Codertocat", account_type: "User", selection: "selected", deleted_at: null },
    permissions: { metadata: "read", contents: "write", issues: "write" },
    ...{ repositories: 1, known_repositories: [{ full_name: "Codertocat/Hello-World" }] },
    last_events: [{ event: "installation", status: "handled" }],
  });
  const added = [{ id: 9, full_name: "octocat/nine", private: true }];
  await tell("installation_repositories", "added", { repositories_added: added });
  expect((await known()).known_repositories).toContainEqual({
    ...{ id: 9, full_name: "octocat/nine", is_private: true },
  });
  await tell("installation_repositories", "removed", {
    ...{ repositories_added: [], repositories_removed: added },
  });
  expect((await known()).repositories).toBe(1);
  await tell("installation", "suspend");
  expect((await known()).suspended_at).not.toBeNull();
  await tell("installation", "unsuspend");
  expect((await known()).suspended_at).toBeNull();
  await tell("installation", "deleted");
  expect(await known()).toMatchObject({ deleted_at: expect.any(String), repositories: 0 });
  await replayEvent(engine.database, first); // what came after it is true
  await settled();
  expect(await known()).toMatchObject({ deleted_at: expect.any(String), repositories: 0 });
});

test("what was lost and comes late changes nothing that was told since", async () => {
  const { tell, lost, known } = await scene();
  await tell("installation", "created");
  await lost("installation-suspend");
  await tell("installation", "unsuspend");
  await tell("installation", "suspend");
  expect((await known()).suspended_at).toBeNull();
  const both = [8, 9].map((id) => ({ id, full_name: `octocat/${id}`, private: true }));
  const change = { repositories_added: both, repositories_removed: [] };
  await tell("installation_repositories", "added", change);
  await lost("removal");
  await tell(
    "installation_repositories",
    "added",
    { ...change, repositories_added: both.slice(1) },
    "again",
  );
  const removal = { repositories_added: [], repositories_removed: both };
  await tell("installation_repositories", "removed", removal, "removal");
  const names = (await known()).known_repositories.map(({ full_name }) => full_name);
  expect(names).not.toContain("octocat/8"); // of which nothing was told since
  expect(names).toContain("octocat/9");
  await lost("rename");
  const repository = { ...(exampleOf("issues", "opened")["repository"] as object), id: 9 };
  await tell("issues", "opened", { repository: { ...repository, full_name: "octocat/new" } });
  await tell(
    "issues",
    "edited",
    { repository: { ...repository, full_name: "octocat/old" } },
    "rename",
  );
  expect((await known()).known_repositories).toContainEqual({
    ...{ id: 9, full_name: "octocat/new", is_private: false },
  });
});

test("any event makes its installation and repository known, and a new name of it", async () => {
  const { tell, known, engine, query, settled } = await scene();
  await tell("issues", "opened");
  const repository = exampleOf("issues", "opened")["repository"] as { id: number };
  expect(await known()).toMatchObject({
    ...{ account: "Codertocat", selection: null, permissions: null },
    known_repositories: [{ id: repository.id, full_name: "Codertocat/Hello-World" }],
  });
  const renamed = { ...repository, full_name: "Codertocat/Hello-Moon" };
  await tell("repository", "renamed", { repository: renamed });
  expect((await known()).known_repositories).toMatchObject([{ full_name: renamed.full_name }]);
  const [older] = await query<{ id: string }>("select id from croft.inbox order by place limit 1");
  await replayEvent(engine.database, older?.id ?? "");
  await settled();
  expect((await known()).known_repositories).toMatchObject([{ full_name: renamed.full_name }]);
  await tell("repository", "renamed", { action: "deleted", repository: renamed }, "deletion");
  expect((await known()).known_repositories).toEqual([]);
});

test("payloads with nothing of what they should have do no harm", async () => {
  const { bring, settled, engine, events } = await scene();
  const odd = [null, [], "x", 3, { id: "x" }, { id: 1, full_name: 7 }, { id: 2 ** 70 }];
  const installation = { id: ID, account: [], permissions: "all", events: [1, null, "push"] };
  const payload = { action: "created", installation, repositories: [...odd, ...odd] };
  await bring("installation", payload, "odd");
  await bring("installation_repositories", { installation, repositories_removed: odd }, "odder");
  await bring("installation_target", { installation, account: { login: 3 } }, "oddest");
  await bring("installation", { action: "deleted", installation: { id: -1 } }, "no number");
  await settled();
  expect((await events()).map(({ status }) => status)).toEqual([
    ...["ignored", "handled", "handled", "handled"],
  ]);
  const page = await listInstallations(engine.database.pool, { limit: 1 });
  expect(page).toMatchObject({ installations: [{ id: ID, account: null }], next_cursor: null });
});
