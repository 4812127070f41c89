// Runs the command on a machine that differs from this one: in a mount namespace of its own, where only it sees the change.
import type { RunOptions } from "./croft-process.ts";

/** `changes` are shell commands of root, done before the command starts. */
export function onMachine(changes: string): RunOptions {
  return { wrapper: ["unshare", "--mount", "sh", "-ec", `${changes}\nexec "$@"`, "sh"] };
}

/** As if it were not installed. `scratch` is an empty directory. */
export function withoutProgram(name: string, scratch: string): RunOptions {
  return onMachine(`${layerOver("$directory", name, scratch)}\nrm "$directory/${name}"`);
}

/** A shell script in its place, which finds the program itself as `$REAL`. */
export function withProgram(name: string, script: string, scratch: string): RunOptions {
  return onMachine(`
    ${layerOver("$directory", name, scratch)}
    mkdir "$directory/real" && mv "$directory/${name}" "$directory/real/${name}"
    cat > "$directory/${name}" <<EOT
#!/bin/sh
REAL=$directory/real/${name}
EOT
    cat >> "$directory/${name}" <<'EOT'
${script}
EOT
    chmod 755 "$directory/${name}"`);
}

/** First of all the change, then the other's: `inner` sees what `outer` did. */
export function both(outer: RunOptions, inner: RunOptions): RunOptions {
  return { ...inner, wrapper: [...(outer.wrapper ?? []), ...(inner.wrapper ?? [])] };
}

/** Written to memory, because an overlay cannot be laid on a container's own layer. */
function layerOver(directory: string, program: string, scratch: string): string {
  const layers = `lowerdir=${directory},upperdir=${scratch}/upper,workdir=${scratch}/work`;
  return `
    directory=$(dirname "$(realpath "$(command -v ${program})")")
    mount -t tmpfs tmpfs '${scratch}' && mkdir '${scratch}/upper' '${scratch}/work'
    mount -t overlay overlay -o "${layers}" "${directory}"`;
}
