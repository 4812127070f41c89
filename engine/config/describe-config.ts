// The effective configuration for people: value and origin of each setting, secrets masked.
import type { LoadedConfig } from "./load-config.ts";
import { settings } from "./settings.ts";

export interface DescribedSetting {
  readonly setting: string;
  /** As it was said, so that a duration reads "15m" and not 900000; null where there is none. */
  readonly value: unknown;
  readonly origin: string;
}

const MASK = "********";

export function describeConfig({ config, given }: LoadedConfig): DescribedSetting[] {
  return settings.map(({ path, secret, default: defaultValue }) => {
    const said = given.get(path);
    const value = path === "data" ? config.data : (said?.value ?? defaultValue ?? null);
    return {
      setting: path,
      value: secret && value !== null ? MASK : value,
      origin: said?.origin ?? "default",
    };
  });
}
