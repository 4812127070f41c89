// The OpenAPI document is made from the routes and says who may enter.
import fastify from "fastify";
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from "fastify-type-provider-zod";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { describeProblems } from "../describe-problems.ts";
import { describeApi } from "./describe-api.ts";

async function documentOf() {
  const app = fastify().withTypeProvider<ZodTypeProvider>();
  onTestFinished(() => app.close());
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  await describeApi(app as never, { version: "1.2.3", types: new Map() });
  const Thing = z.object({ name: z.string() }).meta({ id: "Thing" });
  z.object({ never: z.string() }).meta({ id: "Unused" });
  const response = {
    200: Thing,
    ...describeProblems("not-found", "forbidden", "forbidden-origin"),
  };
  app.get("/open", { config: { access: "public" }, schema: { response } }, async () => ({
    name: "",
  }));
  app.get("/closed", { config: { access: "viewer" }, schema: { response } }, async () => ({
    name: "",
  }));
  return (await app.inject("/api/openapi.json")).json();
}

test("a route says whether it needs a token or a session", async () => {
  const { openapi, info, paths } = await documentOf();
  expect(openapi).toBe("3.1.0");
  expect(info.version).toBe("1.2.3");
  expect(paths["/open"].get.security).toBeUndefined();
  expect(paths["/closed"].get.security).toEqual([{ token: [] }, { session: [] }]);
});

test("every problem of a route stands under its status, and several of one status together", async () => {
  const { responses } = (await documentOf()).paths["/open"].get;
  expect(Object.keys(responses).sort()).toEqual(["200", "403", "404", "default"]);
  expect(responses["403"].description).toBe(
    "`forbidden`: Not allowed; `forbidden-origin`: The request came from another site",
  );
  expect(responses["404"].content["application/problem+json"].schema).toEqual({
    $ref: "#/components/schemas/Problem",
  });
});

test("only schemas that are used are described, and the document's own routes are not", async () => {
  const { components, paths } = await documentOf();
  expect(Object.keys(components.schemas).sort()).toEqual(["Problem", "Thing"]);
  expect(Object.keys(paths).sort()).toEqual(["/closed", "/open"]);
});
