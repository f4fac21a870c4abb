import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { MethodIsNotAllowed, PathNotFound } from "../frame/ApiRouter.ts"
import { fileResponse } from "../frame/ServedFile.ts"
import { ConsoleOptions, documentPath as document } from "./ConsoleFiles.ts"

/**
 * Returns a file or page of the web console, where one is served.
 *
 * All pages are one document, which routes in the browser: it is returned to clients that accept HTML, except under `/api/`
 * and `/assets/` and for paths with a dot in the last segment.
 *
 * Fails with `PathNotFound`, and with `MethodIsNotAllowed` for methods other than GET and HEAD.
 */
export const consoleResponse = (
  request: ApiRequest,
): Effect.Effect<ApiResponse, PathNotFound | MethodIsNotAllowed> =>
  Effect.flatMap(
    ConsoleOptions,
    ({ files }): Effect.Effect<ApiResponse, PathNotFound | MethodIsNotAllowed> => {
      if (files === undefined) return Effect.fail(new PathNotFound())
      const path = isPage(request) ? document : request.path
      const file = files.get(path)
      if (file === undefined && path !== document) return Effect.fail(new PathNotFound())
      if (!isRead(request)) return Effect.fail(new MethodIsNotAllowed({ allow: "GET, HEAD" }))
      if (file === undefined) return Effect.succeed(notBuilt)
      return Effect.succeed(
        path === document
          ? fileResponse(file, { ...pageHeaders, vary: "accept" })
          : fileResponse(file, {
              "cache-control": path.startsWith("/assets/") ? immutable : revalidated,
            }),
      )
    },
  )

export const isRead = ({ method }: ApiRequest): boolean => method === "GET" || method === "HEAD"

const isPage = (request: ApiRequest): boolean => {
  const { path } = request
  if (path === "/" || path === document) return true
  return (
    isRead(request) &&
    !/^\/(?:api|assets)(?:\/|$)/.test(path) &&
    !path.slice(path.lastIndexOf("/")).includes(".") &&
    /\btext\/html\b/i.test(request.header("accept") ?? "")
  )
}

export const immutable = "public, max-age=31536000, immutable"
export const revalidated = "no-cache"

/** A page may only load content of this server, and not be framed. It has no inline script or style. */
export const pageHeaders = {
  "cache-control": revalidated,
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
}

const notBuilt: ApiResponse = {
  status: 200,
  headers: { ...pageHeaders, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  body: `<!doctype html>
<html lang="en">
<title>Tocsin</title>
<p>The web console has not been built. Run <code>npm run build</code> and restart the server.</p>
<p>The API works without it: see the <a href="/docs">API reference</a>.</p>
</html>
`,
}
