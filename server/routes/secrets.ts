// Secrets and credentials over HTTP: set, listed and removed; no route ever answers with a value.
import {
  Credential,
  CredentialList,
  EncryptionKeys,
  NewCredential,
  NewSecret,
  OwnerQuery,
  Secret,
  SecretList,
  SecretName,
  SecretOwnerQuery,
  SecretQuery,
} from "@croft/contract";
import {
  acceptCredential,
  type Engine,
  EngineError,
  finishRotation,
  listCredentials,
  listSecrets,
  putSecret,
  readApp,
  readKeys,
  removeCredential,
  removeSecret,
  rotateKey,
} from "@croft/engine";
import { z } from "zod";
import type { App } from "../app.ts";
import { describeProblems } from "../describe-problems.ts";
import { ownerOf, type Principal, scopeOf } from "../principal.ts";

const SecretPath = z.object({ name: SecretName });
const CredentialPath = z.object({ id: z.uuid() });
const REFUSALS = ["unauthenticated", "forbidden", "invalid-input"] as const;

export function secretRoutes(app: App, engine: Engine): void {
  writeSecretRoutes(app, engine);
  readRoutes(app, engine);
  writeCredentialRoutes(app, engine);
  keyRoutes(app, engine);
}

function writeSecretRoutes(app: App, { database, vault }: Engine): void {
  app.put(
    "/api/secrets/:name",
    {
      config: { access: "writer" },
      schema: {
        tags: ["secrets"],
        summary: "Set a secret of your own",
        description:
          "Takes the place of the value it had. It is encrypted, and never shown again. People may set those of an installation of the GitHub App, for the work that its events start.",
        params: SecretPath,
        querystring: SecretOwnerQuery,
        body: NewSecret,
        response: { 200: Secret, ...describeProblems("not-found", ...REFUSALS) },
      },
    },
    async ({ principal, params, query, body }) => {
      const { name } = params;
      if (query.owner === undefined)
        return await putSecret(vault, ownerOf(principal), { name, ...body });
      if (principal?.kind === "app") throw new EngineError("not-found", "there is no such owner");
      return await putSecret(vault, query.owner, { name, ...body });
    },
  );

  app.delete(
    "/api/secrets/:name",
    {
      config: { access: "writer" },
      schema: {
        tags: ["secrets"],
        summary: "Remove a secret",
        params: SecretPath,
        querystring: OwnerQuery,
        response: {
          204: z.null().describe("removed"),
          ...describeProblems("not-found", ...REFUSALS),
        },
      },
    },
    async ({ principal, params, query }, reply) => {
      const owner = query.owner ?? ownerOf(principal);
      await removeSecret(database, scopeOf(principal), { owner, name: params.name });
      return await reply.code(204).send(null);
    },
  );
}

function readRoutes(app: App, { database }: Engine): void {
  app.get(
    "/api/secrets",
    {
      config: { access: "reader" },
      schema: {
        tags: ["secrets"],
        summary: "List secrets by name, newest first",
        querystring: SecretQuery,
        response: { 200: SecretList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listSecrets(database, scopeOf(principal), query),
  );

  app.get(
    "/api/credentials",
    {
      config: { access: "reader" },
      schema: {
        tags: ["secrets"],
        summary: "List credentials for remotes, newest first",
        querystring: SecretQuery,
        response: { 200: CredentialList, ...describeProblems("unauthenticated", "invalid-input") },
      },
    },
    async ({ principal, query }) => await listCredentials(database, scopeOf(principal), query),
  );
}

function writeCredentialRoutes(app: App, engine: Engine): void {
  const { database } = engine;
  /** An app has its own only; people may give one to any that is there. */
  const ownerFor = async (principal: Principal | undefined, id: string) => {
    const isForeign = principal?.kind === "app" && principal.app.id !== id;
    if (isForeign) throw new EngineError("not-found", "there is no such app");
    return `app:${(await readApp(database, id)).id}`;
  };
  app.post(
    "/api/credentials",
    {
      config: { access: "writer" },
      schema: {
        tags: ["secrets"],
        summary: "Set a credential for the repositories of a host, an owner, or one",
        description:
          "The same address and user name again takes the place of the one before, and keeps its id. It is tried first: if the remote refuses it, the old one stays. Watches that use it are polled at once.",
        body: NewCredential,
        response: {
          201: Credential,
          ...describeProblems("not-found", ...REFUSALS, "unsafe-address", "unavailable"),
        },
      },
    },
    async ({ principal, body }, reply) => {
      const { app: named, ...credential } = body;
      if (credential.kind === "github-app" && principal?.kind === "app") {
        throw new EngineError("forbidden", "only admins may give an app an installation of GitHub");
      }
      const owner = named === undefined ? ownerOf(principal) : await ownerFor(principal, named);
      return await reply.code(201).send(await acceptCredential(engine, owner, credential));
    },
  );

  app.delete(
    "/api/credentials/:id",
    {
      config: { access: "writer" },
      schema: {
        tags: ["secrets"],
        summary: "Remove a credential",
        params: CredentialPath,
        response: {
          204: z.null().describe("removed"),
          ...describeProblems("not-found", ...REFUSALS),
        },
      },
    },
    async ({ principal, params }, reply) => {
      await removeCredential(database, scopeOf(principal), params.id);
      return await reply.code(204).send(null);
    },
  );
}

function keyRoutes(app: App, { vault, log }: Engine): void {
  app.get(
    "/admin/api/encryption-keys",
    {
      config: { access: "viewer" },
      schema: {
        tags: ["secrets"],
        summary: "Which keys secrets are encrypted with",
        response: { 200: EncryptionKeys, ...describeProblems("unauthenticated", "forbidden") },
      },
    },
    async () => await readKeys(vault),
  );

  app.post(
    "/admin/api/encryption-keys/rotate",
    {
      config: { access: "admin" },
      schema: {
        tags: ["secrets"],
        summary: "Encrypt everything with a new key",
        description:
          "New values have the new key at once; the others follow, also after a crash. It is done when one key is left.",
        response: { 202: EncryptionKeys, ...describeProblems(...REFUSALS) },
      },
    },
    async (_request, reply) => {
      await rotateKey(vault);
      // Should this process end meanwhile, a janitor goes on with it.
      finishRotation(vault).catch((error: unknown) => {
        log.warn({ err: error }, "values with an old key are encrypted later");
      });
      return await reply.code(202).send(await readKeys(vault));
    },
  );
}
