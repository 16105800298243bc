// A client made from the description of the server: npx openapi-typescript http://HOST/v1/openapi.json -o api.d.ts
import createClient from "openapi-fetch";
import type { paths } from "./api";

const client = createClient<paths>({ baseUrl: "http://127.0.0.1:8080" });

export async function main() {
  const health = await client.GET("/v1/health");
  if (health.error) throw new Error(health.error.error);
  const node = await client.GET("/v1/nodes/{id}", { params: { path: { id: "n1" } } });
  const id: string | undefined = node.data?.id;
  const graph = await client.POST("/v1/what-if", { body: { edits: [{ remove_node: "n8" }], nodes: ["n1"] } });
  // @ts-expect-error there is no such route
  await client.GET("/v1/helth");
  // @ts-expect-error a node has no such attribute
  const wrong = node.data?.identity;
  return [id, graph.data, wrong];
}
