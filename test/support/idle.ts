// Waits until nothing runs in the background any more, without closing.
import type { Git } from "@croft/git";

export async function idle({ templates, workspaces }: Git): Promise<void> {
  await templates.idle();
  await workspaces.idle();
}
