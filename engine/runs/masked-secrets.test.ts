// A step's secrets: blotted out of everything that leaves it, wherever its script has put them.
import { expect, test } from "vitest";
import { runScene } from "../../test/support/run-scene.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { putSecret } from "../secrets/secret-store.ts";

const TOKEN = "correct-horse-battery";
const KEY = "-----BEGIN-----\r\nfirst line of it\r\n  second line of it\r\n-----END-----\r\n";
const CEILING_MS = 120_000;

const LEAKY = `
secrets: { TOKEN: TOKEN, KEY: KEY }
steps:
  tell:
    outputs: [token, line, plain, twice]
    run: |
      { echo "token=x\${TOKEN}y"; echo "line=second line of it"; echo "plain=deploy"; } >> $CROFT_OUTPUT
      { echo "twice=before"; echo "twice=$TOKEN"; echo "$TOKEN=1"; } >> $CROFT_OUTPUT
      echo "# done with $TOKEN and first line of it" >> $CROFT_SUMMARY
      echo "$TOKEN" > a.json; mkdir deploy; echo x > "deploy/$TOKEN"; echo "$KEY"
    artifacts: { a: a.json, deploy: deploy/ }
    checks:
      - { no-diff-outside: ["docs/**"], on-failure: warn }
  fail:
    run: echo "o<<$TOKEN" >> $CROFT_OUTPUT
  print:
    needs: tell
    run: echo "got '\${{ steps.tell.outputs.token }}' and '\${{ steps.tell.outputs.plain }}'"
  ask:
    needs: tell
    approval: { message: "use '\${{ steps.tell.outputs.token }}'?" }
`;

test(
  "they are in no output, summary, message, error, warning, event or log",
  async () => {
    const { engine, start, detail, query } = await runScene();
    await putSecret(engine.vault, "local", { name: "TOKEN", value: TOKEN });
    await putSecret(engine.vault, "local", { name: "KEY", value: KEY });
    const id = await start(LEAKY);
    const isAsked = async () =>
      (await detail(id)).steps.every(({ status }) =>
        ["waiting", "done", "failed"].includes(status),
      );
    await waitUntil("the end of its steps", isAsked, CEILING_MS);
    const { steps } = await detail(id);
    const of = (name: string) => steps.find(({ step }) => step === name);
    expect(of("tell")).toMatchObject({
      ...{ status: "done", outputs: { plain: "deploy" }, summary: "# done with *** and ***\n" },
      report: { warnings: [expect.stringContaining("deploy/***")] },
    });
    expect(of("fail")?.error?.message).toBe("$CROFT_OUTPUT: line 1: '***' does not come");
    expect(of("ask")?.message).toBe("use ''?");
    const logs = await query(
      "select string_agg(text, '' order by job_id, seq) as text from croft.job_log",
    );
    expect(logs[0]?.["text"]).toContain("output 'token' has a secret in it: left out\n");
    expect(logs[0]?.["text"]).toContain("output 'twice' has a secret in it: left out\n");
    expect(logs[0]?.["text"]).toContain("got '' and 'deploy'");
    const tables = ["job", "job_log", "run", "run_step", "event", "asset"];
    for (const table of tables) {
      const rows = await query(`select t::text as row from croft.${table} t`);
      const whole = rows.map(({ row }) => row).join("\n");
      for (const part of [TOKEN, "first line of it", "second line of it"]) {
        const isOurs = table === "run" && part !== TOKEN; // the pipeline's own text says it
        if (!isOurs) expect(whole, `${table}: ${part}`).not.toContain(part);
      }
    }
  },
  CEILING_MS,
);

test(
  "one that is part of a name that others go by leaves it as it is",
  async () => {
    const { engine, run } = await runScene();
    await putSecret(engine.vault, "local", { name: "USER", value: "deploy" });
    const { status, steps } = await run(`
steps:
  make:
    secrets: { WHO: USER }
    run: echo x > deploy.txt
    workspace: { branch: deploy-it }
    artifacts: { deploy: deploy.txt }
  use: { needs: make, inject: { deploy: in.txt }, run: test -s in.txt }
`);
    expect(status).toBe("done");
    expect(steps[0]?.branch).toBe("deploy-it");
  },
  CEILING_MS,
);
