import * as Effect from "effect/Effect"
import { immutable, isRead, pageHeaders, revalidated } from "../console-files/ConsoleResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, emptyResponse } from "../frame/ApiResponse.ts"
import { MethodIsNotAllowed, PathNotFound } from "../frame/ApiRouter.ts"
import { HelpOptions, helpPath } from "../frame/HelpOptions.ts"
import { readHelpFile } from "./HelpFiles.ts"

/** Whether a path is that of the documentation. */
export const isHelp = (path: string): boolean => path === helpPath || path.startsWith(`${helpPath}/`)

/**
 * Returns a page or file of the documentation, where it is served.
 *
 * Fails with `PathNotFound` if it is not served, and with `MethodIsNotAllowed` for methods other than GET and HEAD.
 */
export const helpResponse = (
  request: ApiRequest,
): Effect.Effect<ApiResponse, PathNotFound | MethodIsNotAllowed> =>
  Effect.gen(function* () {
    const { directory } = yield* HelpOptions
    if (directory === undefined) return yield* new PathNotFound()
    if (!isRead(request)) return yield* new MethodIsNotAllowed({ allow: "GET, HEAD" })
    if (request.path === helpPath) return emptyResponse(308, { location: `${helpPath}/` })
    return yield* Effect.promise(() => fileResponse(directory, request.path.slice(helpPath.length + 1)))
  })

const fileResponse = async (directory: string, path: string): Promise<ApiResponse> => {
  const found = await readHelpFile(directory, path)
  const file = found ?? (await readHelpFile(directory, "404.html"))
  if (file === undefined) return notBuilt
  const isPage = file.contentType.startsWith("text/html")
  return {
    status: found === undefined ? 404 : 200,
    headers: {
      ...(isPage ? pageHeaders : { "cache-control": path.startsWith("assets/") ? immutable : revalidated }),
      "content-type": file.contentType,
      "cross-origin-resource-policy": "same-origin",
      ...(found !== undefined && { etag: `"${file.hash}"` }),
    },
    body: file.bytes,
    precompressed: file.compressed,
  }
}

/** Seconds after which a browser tries again while the documentation is being built. */
const retrySeconds = 5

const notBuilt: ApiResponse = {
  status: 503,
  headers: {
    ...pageHeaders,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "retry-after": `${retrySeconds}`,
    refresh: `${retrySeconds}`,
  },
  body: `<!doctype html>
<html lang="en">
<title>Tocsin documentation</title>
<p>The documentation is not built yet. After the first <code>npm start</code> of a clone, this takes about a minute, and this page reloads until then. Otherwise, run <code>npm run help</code> in the clone.</p>
<p>The same documents are in the folder <code>docs</code> of the repository.</p>
</html>
`,
}
