// What happens while something is fetched is not lost, not even by the first fetch.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { refetch } from "./refetch.ts";

test("an answer that is on its way when something happens is not the last one", async () => {
  const queryClient = new QueryClient();
  const answers: ((value: string) => void)[] = [];
  const queryFn = () => new Promise<string>((resolve) => void answers.push(resolve));
  const observer = new QueryObserver(queryClient, { queryKey: ["thing"], queryFn });
  const leave = observer.subscribe(() => {});
  const again = refetch(queryClient, ["thing"]);
  expect(answers.length).toBe(1); // the first is waited for
  answers[0]?.("old");
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.("new");
  await again;
  expect(observer.getCurrentResult().data).toBe("new");
  // Later ones are begun anew at once.
  const third = refetch(queryClient, ["thing"]);
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.("newer");
  await third;
  expect(observer.getCurrentResult().data).toBe("newer");
  leave();
  queryClient.clear();
});
