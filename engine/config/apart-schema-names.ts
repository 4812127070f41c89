// Keeps the names that a project gives to its schemas apart from ours: zod has one list for all, also for several zods.
import { z } from "zod";

/**
 * The API's description is made of that list: a `.meta({ id: "Job" })` of the project would take the place of our own, and
 * one that JSON cannot say would leave us without any. Without their names the project's schemas say the same.
 */
export async function apartSchemaNames<T>(load: () => Promise<T>): Promise<T> {
  const { globalRegistry: all } = z;
  const ours = new Map(all._idmap);
  try {
    return await load();
  } finally {
    for (const [id, schema] of [...all._idmap]) {
      if (ours.get(id) === schema) continue;
      const { id: _name, ...about } = all.get(schema) ?? {};
      all.remove(schema).add(schema, about);
    }
    for (const [id, schema] of ours) all.add(schema, { ...all.get(schema), id });
  }
}
