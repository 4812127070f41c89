// The table of all settings as docs/configuration.md has it.
import { settings } from "@croft/engine";

export function configurationTable(): string {
  const rows = settings.map(({ path, env, flag, defaultText, description, secret }) => {
    const names = secret ? `\`${env}\`, \`${env}_FILE\`` : `\`${env}\``;
    const cells = [`\`${path}\``, names, flag === undefined ? "–" : `\`${flag}\``];
    return `| ${[...cells, defaultText || "–", description].join(" | ")} |`;
  });
  return [
    "| setting | environment | flag | default | meaning |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}
