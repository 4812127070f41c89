// Whatever a job does in its workspace, it changes nothing else, and sees nothing else.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fingerprint } from "../../test/support/fingerprint.ts";
import { isRoot, SANDBOXED, shareWorkspaces, shell } from "../../test/support/workspace-scene.ts";
import { partsOf } from "../workspace/remove-workspace.ts";

const scene = shareWorkspaces();

const FORGET = `
git checkout -q --detach; git branch -q -D work
for ref in $(git for-each-ref --format='%(refname)'); do git update-ref -d "$ref"; done
git reflog expire --expire=now --all; git gc -q --prune=now; git fsck --no-dangling`;

const SPOIL = `
for file in .git/objects/pack/*; do
  chmod 666 "$file"; echo spoilt >> "$file"; truncate -s 0 "$file"; echo spoilt > "$file"
  ln "$file" second; chmod 666 second; truncate -s 0 second; rm -f second "$file"; echo spoilt > "$file"
done
echo spoilt > .git/objects/pack/pack-0000000000000000000000000000000000000000.pack
printf '[core]\\n\\tbare = true\\n\\thooksPath = /tmp\\n' > .git/config
mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch /tmp/ran\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/*
find . -name '*.txt' | while read -r file; do echo spoilt > "$file"; done
rm -rf .git src; mkdir .git src`;

describe.each(SANDBOXED)("$name", (machine) => {
  test("a job that forgets, spoils and deletes what it has changes neither mirror, template nor others", async () => {
    const other = await scene.create(machine, { branch: "work" });
    const job = await scene.create(machine, { branch: "work" });
    await (await scene.on(machine)).templates.idle(); // its marker is rewritten once it is on the disk
    const { mirror, git } = scene;
    const places = [
      mirror.gitDir,
      git.directories.templates,
      other.path,
      partsOf(git.directories, other.id),
    ];
    const before = places.map(fingerprint);
    await job.run(["sh", "-c", FORGET]);
    expect(await shell(job, "git for-each-ref; git rev-parse HEAD")).toBe(scene.commits[0]);
    await job.run(["sh", "-c", SPOIL]);
    expect(await shell(job, "ls -A .git src")).toBe(".git:\n\nsrc:");
    await job.remove();
    expect(places.map(fingerprint)).toEqual(before);
    expect(await shell(other, "git fsck; git status --porcelain; git log -1 --format=%H")).toBe(
      scene.commits[0],
    );
    await other.remove();
  });

  test("it sees its own files and processes, and nothing of Croft's or of others", async () => {
    const other = await scene.create(machine);
    const job = await scene.create(machine);
    const { data, workspaces, mirrors } = scene.git.directories;
    writeFileSync(join(scene.root, "secret"), "outside");
    expect(await shell(job, `ls -A '${data}' '${workspaces}'`)).toBe(
      `${data}:\nworkspaces\n\n${workspaces}:\n${job.id}`,
    );
    const hidden = [
      other.path,
      mirrors,
      scene.mirror.gitDir,
      scene.origin,
      join(scene.root, "secret"),
    ];
    for (const path of [...hidden, process.cwd(), "/root", "/home", "/var"]) {
      expect(await shell(job, `ls -d '${path}' 2>/dev/null || true`)).toBe("");
    }
    expect(await shell(job, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).not.toContain("vitest");
    const signalled = await job.run(["sh", "-c", `kill -0 ${process.pid}`]);
    expect(signalled.exitCode).not.toBe(0);
    expect(await shell(job, "ls /proc/self/fd | grep -c '[34]$' || true")).toBe("1"); // that of ls itself
    await Promise.all([job.remove(), other.remove()]);
  });

  test("it has no rights to lose, gains none, and cannot write the system or uncover what is hidden", async () => {
    const job = await scene.create(machine);
    const rights = await shell(job, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status | tr -d '\\t'");
    expect(rights.split("\n").map((line) => line.replace(/0+$/, ""))).toEqual([
      ...["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"],
      "NoNewPrivs:1",
    ]);
    const [, first = "", second = ""] = scene.data.split("/");
    const cover = first === "tmp" ? `/tmp/${second}` : scene.data;
    const tricks = `
      mount -o remount,rw /usr; mount -o remount,rw,bind /etc; mount -o remount,rw '${cover}'; umount '${cover}'
      umount -l '${cover}'; umount /usr; mount -t tmpfs none /usr; mknod /tmp/disk b 8 0
      touch /usr/broken /etc/broken '${cover}/broken' '${scene.data}/broken' '${job.path}/../broken'
      cat /etc/shadow; ls -d '${scene.git.directories.mirrors}'; exit 0`;
    // Also as the root of a user namespace of its own, which the kernel gives to everybody.
    for (const wrapper of [
      ["sh", "-c"],
      ["unshare", "-Urm", "sh", "-c"],
    ]) {
      const { stdout } = await job.run([...wrapper, `{ ${tricks}; } 2>/dev/null`]);
      expect(String(stdout)).toBe("");
      const found = await shell(
        job,
        `ls -d /usr/broken /etc/broken '${scene.data}'/broken 2>/dev/null || true`,
      );
      expect(found).toBe("");
    }
    await job.remove();
  });

  test.runIf(isRoot)("its files are its user's, and no other user can look into it", async () => {
    const job = await scene.create(machine);
    const uid = scene.git.platform.jobUser?.uid;
    expect(await shell(job, "stat -c '%u %a' . .git .git/HEAD /tmp; id -u")).toBe(
      `${uid} 700\n${uid} 755\n${uid} 644\n${uid} 700\n${uid}`,
    );
    await job.remove();
  });
});
