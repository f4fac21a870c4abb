import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { Api } from "./Api.ts"
import { DocsPage, servedOnce } from "./DocsPage.ts"

/**
 * Renders Swagger UI as one page. Its two megabytes are imported when it is first made. The policy allows the scripts by
 * hash, and connections to this server only.
 */
const renderPage = async (): Promise<ApiResponse> => {
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
      "cache-control": "no-cache",
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

const page = servedOnce(renderPage)

/** Serves the API reference as a page. */
export const layer: Layer.Layer<never> = Layer.succeed(DocsPage, { page })
