// Which files a push changed, when it has more commits than its event lists: GitHub is asked.
import { expect, test } from "vitest";
import { githubResultsScene } from "../../test/support/github-results-scene.ts";
import { silentLog as log } from "../../test/support/silent-log.ts";
import { changedPaths } from "./changed-paths.ts";
import { factsOf, type GithubEvent } from "./github-event.ts";

test("of a push whose list of commits is cut GitHub compares the two ends", async () => {
  const { fake, repository, engine } = await githubResultsScene();
  const before = await fake.push(repository, "main", { "one.txt": "1\n" });
  await fake.push(repository, "main", { "two.txt": "2\n" });
  const after = await fake.push(repository, "main", { "docs/three.txt": "3\n" });
  const pushed = { ...fake.pushPayload(repository, { branch: "main", before, after }), size: 2 };
  const event: GithubEvent = {
    ...{ ...factsOf(pushed), id: "event", place: 1, deliveryId: "delivery", name: "push" },
    ...{ payload: pushed, receivedAt: new Date(), sentAt: new Date(), replay: 0, failures: 0 },
  };
  const { github } = engine;
  const signal = new AbortController().signal;
  expect(await changedPaths({ github, log }, event, signal)).toEqual(["docs/three.txt", "two.txt"]);
  expect(fake.requests.at(-1)?.line).toBe(
    `GET /repos/${repository.fullName}/compare/${before}...${after}`,
  );
});
