// What the embedded PostgreSQL is started with.
import { roomOnDisk } from "@croft/git";

const MIB = 1024 ** 2;
/** Of its log, in MiB: two of its pieces at least; PostgreSQL's own defaults at most. */
const LOG_MIB = { least: 32, kept: 80, most: 1024 } as const;

export function serverParameters(cluster: string, socketDirectory: string) {
  return {
    listen_addresses: "",
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`, // a list: a comma would end the path
    unix_socket_permissions: "0700",
    cluster_name: "croft",
    max_connections: "200",
    ...logSizes(cluster),
    // Croft's statements are short: compiling them costs more than it saves.
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
  };
}

/** How much its log takes before it is used again: on a small disk not more than what files leave free for it. */
function logSizes(cluster: string) {
  const reserveMib = Math.floor(roomOnDisk(cluster).reserveBytes / MIB);
  const mostMib = Math.min(Math.max(LOG_MIB.least, reserveMib), LOG_MIB.most);
  const keptMib = Math.min(LOG_MIB.kept, mostMib);
  return { max_wal_size: `${mostMib}MB`, min_wal_size: `${keptMib}MB` };
}
