// The OpenAPI document, made from the routes' schemas, and a page to read it.
import { describeJobTypes, type Engine } from "@croft/engine";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { Access } from "../principal.ts";

/** The page sets styles of its own; scripts stay ours. */
const DOCS_CSP =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

export async function describeApi(
  app: FastifyInstance,
  { version, types }: Pick<Engine, "version" | "types">,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Croft",
        version,
        description:
          "Runs jobs on git repositories. Errors are problem+json (RFC 9457) with a stable `code`.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      components: {
        securitySchemes: {
          token: { type: "http", scheme: "bearer" },
          session: { type: "apiKey", in: "cookie", name: "croft-session" },
        },
      },
    },
    transform: (document) => {
      const transformed = jsonSchemaTransform(document);
      const security = securityOf(document.route.config?.access);
      return { ...transformed, schema: { ...transformed.schema, ...security } };
    },
    transformObject: (document) => {
      const transformed = jsonSchemaTransformObject(document);
      dropUnusedSchemas(transformed);
      addJobInputs(transformed, types);
      return transformed;
    },
  });
  app.get("/api/openapi.json", { config: { access: "public" }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  await app.register(async (docs) => {
    docs.addHook("onRoute", (route) => {
      route.config = { ...route.config, access: "public" };
    });
    await docs.register(swaggerUi, {
      routePrefix: "/api/docs",
      staticCSP: DOCS_CSP,
      theme: { title: "Croft API" },
      logo: { type: "image/svg+xml", content: Buffer.from(LOGO) },
      uiConfig: { layout: "BaseLayout" }, // without the bar that opens any document
    });
  });
}

function securityOf(access: Access | undefined) {
  const isOpen = access === undefined || access === "public" || access === "browser";
  return isOpen ? {} : { security: [{ token: [] }, { session: [] }] };
}

/** `JobInput.<type>`: what `input` of a submission is, for each type of this process. */
function addJobInputs(document: ApiDocument, types: Engine["types"]): void {
  const schemas = "components" in document ? document.components?.schemas : undefined;
  if (schemas === undefined) return;
  for (const { name, description, input } of describeJobTypes(types)) {
    if (input === null) continue;
    const { $schema: _draft, ...schema } = input;
    const place = `#/components/schemas/JobInput.${name}`;
    const text = JSON.stringify(description === null ? schema : { description, ...schema });
    schemas[`JobInput.${name}`] = JSON.parse(text.replaceAll('"$ref":"#', `"$ref":"${place}`));
  }
}

type ApiDocument = ReturnType<typeof jsonSchemaTransformObject>;

/** Every schema comes in two forms, as it is sent and as it is accepted; most have use for one only. */
function dropUnusedSchemas(document: ApiDocument): void {
  const schemas = "components" in document ? document.components?.schemas : undefined;
  if (schemas === undefined) return;
  for (;;) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    );
    if (unused.length === 0) return;
    for (const name of unused) delete schemas[name];
  }
}
