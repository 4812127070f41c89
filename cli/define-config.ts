// What a project imports from "croft" in its croft.config.ts.
import type { ConfigInput } from "@croft/engine";

export type { ConfigInput };

/** Gives croft.config.ts its types; the value is returned as it is. */
export function defineConfig(config: ConfigInput): ConfigInput {
  return config;
}
