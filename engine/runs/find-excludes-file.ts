// Where a developer says what is ignored everywhere: git's own setting, which Croft's git does not read by itself.
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { gitText } from "@croft/git";

export interface PersonalPlaces {
  readonly home: string;
  /** `$XDG_CONFIG_HOME`, or what it is without. */
  readonly configHome: string;
}

/** Undefined when there is none. The later file is the stronger one, as for git. */
export async function findExcludesFile(places: PersonalPlaces): Promise<string | undefined> {
  const { home, configHome } = places;
  let found = join(configHome, "git/ignore");
  for (const file of [join(configHome, "git/config"), join(home, ".gitconfig")]) {
    if (existsSync(file)) found = (await readSetting(file, places)) ?? found;
  }
  return existsSync(found) ? found : undefined;
}

async function readSetting(file: string, { home }: PersonalPlaces): Promise<string | undefined> {
  const args = ["config", "--file", file, "--default", "", "--get", "core.excludesFile"];
  const text = await gitText(args, {});
  const path = text.replace(/^~\//, `${home}/`);
  return isAbsolute(path) ? path : undefined;
}
