import { format, resolveConfig } from "prettier"
import { Api } from "@tocsin/adapters-http/api/Api"
import { openApiDocument } from "@tocsin/adapters-http/frame/OpenApiDocument"
import { expect, it } from "vitest"
import { apiTypes } from "./openapi-types.ts"

const file = "../../apps/console/src/api/ApiTypes.ts"

it("the console's types are those of the server's OpenAPI document", async () => {
  const path = new URL(file, import.meta.url).pathname
  const options = await resolveConfig(path)
  const text = await format(apiTypes(openApiDocument(Api)), { ...options, parser: "typescript" })
  await expect(text).toMatchFileSnapshot(file)
})
