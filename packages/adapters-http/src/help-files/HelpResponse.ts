import * as Effect from "effect/Effect"
import { immutable, isRead, pageHeaders, revalidated } from "../console-files/ConsoleResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { type ApiResponse, emptyResponse } from "../frame/ApiResponse.ts"
import { MethodIsNotAllowed, PathNotFound } from "../frame/ApiRouter.ts"
import {
  type HelpBuild,
  HelpIsUnreadable,
  HelpOptions,
  helpPath,
  type HelpSite,
} from "../frame/HelpOptions.ts"
import { escaped } from "../frame/Escaped.ts"
import { fileResponse } from "../frame/ServedFile.ts"

/** Whether a path is that of the documentation. */
export const isHelp = (path: string): boolean => path === helpPath || path.startsWith(`${helpPath}/`)

/**
 * Returns a page or file of the documentation, where it is served.
 *
 * Fails with `PathNotFound` if it is not served, and with `MethodIsNotAllowed` for methods other than GET and HEAD,
 * and with `HelpIsUnreadable` if a file exists and cannot be read.
 */
export const helpResponse = (
  request: ApiRequest,
): Effect.Effect<ApiResponse, PathNotFound | MethodIsNotAllowed | HelpIsUnreadable> =>
  Effect.gen(function* () {
    const { site } = yield* HelpOptions
    if (site === undefined) return yield* new PathNotFound()
    if (!isRead(request)) return yield* new MethodIsNotAllowed({ allow: "GET, HEAD" })
    if (request.path === helpPath) return emptyResponse(308, { location: `${helpPath}/` })
    return yield* Effect.tryPromise({
      try: () => siteResponse(site, request.path.slice(helpPath.length + 1)),
      catch: (cause) => new HelpIsUnreadable({ cause }),
    })
  })

const siteResponse = async (site: HelpSite, path: string): Promise<ApiResponse> => {
  const found = await site.read(path)
  if (found === undefined && !path.endsWith("/") && (await site.read(`${path}/`)) !== undefined)
    return emptyResponse(308, { location: `${helpPath}/${path}/` })
  const file = found ?? (await site.read("404.html"))
  if (file === undefined) return notBuilt(await site.build())
  const isPage = file.contentType.startsWith("text/html")
  const response = fileResponse(
    file,
    isPage ? pageHeaders : { "cache-control": path.startsWith("assets/") ? immutable : revalidated },
  )
  if (found !== undefined) return response
  const { etag: _etag, ...headers } = response.headers
  return { ...response, status: 404, headers }
}

/** Seconds after which a browser tries again while the documentation is being built. */
const retrySeconds = 5

const notBuilt = (build: HelpBuild): ApiResponse => ({
  status: 503,
  headers: {
    ...pageHeaders,
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    ...(build.state === "building" && { "retry-after": `${retrySeconds}`, refresh: `${retrySeconds}` }),
  },
  body: `<!doctype html>
<html lang="en">
<title>Tocsin documentation</title>
<p>${notBuiltText(build)}</p>
<p>The same documents are in the folder <code>docs</code> of the repository.</p>
</html>
`,
})

const notBuiltText = (build: HelpBuild): string => {
  switch (build.state) {
    case "building":
      return "The documentation is being built, which takes about a minute. This page reloads until then."
    case "failed":
      return `The documentation was not built: ${escaped(build.reason)} To try again, run <code>npm run help</code> in the clone.`
    case "none":
      return "The documentation is not built. To build it, run <code>npm run help</code> in the clone."
  }
}
