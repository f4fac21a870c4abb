import { openApiDocument } from "../frame/OpenApiDocument.ts"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { Api, ApiV1 } from "./Api.ts"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"
import { withETag } from "../frame/ConditionalResponse.ts"
import { compressOnce } from "../frame/ContentCoding.ts"
import { memoize } from "../frame/Memoize.ts"

const documents: ReadonlyArray<readonly [path: string, response: () => Promise<ApiResponse>]> = [
  ["/openapi.json", once(async () => jsonResponse(200, JSON.stringify(openApiDocument(Api)), revalidated))],
  [
    "/openapi-v1.json",
    once(async () => jsonResponse(200, JSON.stringify(openApiDocument(ApiV1)), revalidated)),
  ],
  ["/docs", once(() => renderDocs())],
]

export const docsRoutes: ReadonlyArray<ApiRoute<never, never>> = documents.map(([path, response]) => ({
  method: "GET",
  path,
  handler: () => Effect.promise(response),
}))

/**
 * Makes the responses before anyone requests them: together they take some tenths of a second of processor time. Lets
 * requests run between them.
 */
export const prepareDocs: Effect.Effect<void> = Effect.forEach(
  documents,
  ([, response]) => Effect.andThen(Effect.promise(response), Effect.yieldNow),
  { discard: true },
)

function once(make: () => Promise<ApiResponse>): () => Promise<ApiResponse> {
  return memoize(() => make().then(withETag).then(compressedOnce))
}

const compressedOnce = (response: ApiResponse): ApiResponse => ({
  ...response,
  precompressed: compressOnce(Buffer.from(response.body)),
})

const revalidated = { "cache-control": "no-cache" }

/**
 * Renders Swagger UI as one page. Its two megabytes are imported when it is first made. The policy allows the scripts by
 * hash, and connections to this server only.
 */
const renderDocs = async (): Promise<ApiResponse> => {
  const [router, swagger] = await Promise.all([
    import("effect/http/HttpRouter"),
    import("effect/http-api/HttpApiSwagger"),
  ])
  const { handler, dispose } = router.toWebHandler(swagger.layer(Api), { disableLogger: true })
  const response = await handler(new Request("http://localhost/docs"))
  const html = await response.text()
  await dispose()
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  )
  return {
    status: 200,
    headers: {
      ...revalidated,
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": [
        "default-src 'none'",
        `script-src ${scripts.join(" ")}`,
        "style-src 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join("; "),
      "referrer-policy": "no-referrer",
    },
    body: new TextEncoder().encode(html),
  }
}
