import { Api } from "@tocsin/adapters-http"
import { openApiDocument } from "@tocsin/api/openapi"
import { format, resolveConfig } from "prettier"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { apiTypes } from "./api-types.ts"

const folder = fileURLToPath(new URL("../../apps/console/src", import.meta.url))
const file = `${folder}/api/ApiTypes.ts`

it("the console's types are those of the server's OpenAPI document", async () => {
  const options = await resolveConfig(file)
  const text = await format(await apiTypes(openApiDocument(Api), folder), {
    ...options,
    parser: "typescript",
  })
  await expect(text).toMatchFileSnapshot(file)
})
