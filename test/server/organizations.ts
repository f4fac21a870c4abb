import { expect } from "vitest"

/** The credential of each organization's editor. */
export const editorCredential = {
  clientId: "me",
  clientSecret: "0123456789abcdef0123456789abcdef0123456789abcdef",
}

/** The environment of a server on which each organization has an editor, and which may connect to loopback. */
export const environmentOf = (
  organizations: ReadonlyArray<string>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  TOCSIN_MASTER_KEY: Buffer.alloc(32, 4).toString("base64"),
  TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify(
    organizations.map((organization) => ({ organization, ...editorCredential, role: "editor" })),
  ),
  TOCSIN_EGRESS_ALLOW_CIDRS: "127.0.0.0/8,::1/128",
  TOCSIN_LOG_LEVEL: "warning",
  ...own,
})

/** Sends requests of an organization's editor, by turns to each of the servers. */
export interface Editor {
  readonly request: (method: string, path: string, body?: string, type?: string) => Promise<Response>
  /** Fails unless the request is accepted; returns the JSON of the response, or `undefined` where there is none. */
  readonly call: (method: string, path: string, body?: string, type?: string) => Promise<unknown>
}

/** Logs the editor of an organization in. */
export const editorOf = async (urls: ReadonlyArray<string>, organization: string): Promise<Editor> => {
  const token = await fetch(`${urls[0]}/api/accessToken`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${editorCredential.clientId}:${editorCredential.clientSecret}`)}`,
      organization,
    },
  })
  const { access_token } = (await token.json()) as { readonly access_token: string }
  let turn = 0
  const request: Editor["request"] = (method, path, body, type = "application/json") =>
    fetch(`${urls[turn++ % urls.length]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${access_token}`,
        organization,
        project: "default",
        "content-type": type,
      },
      signal: AbortSignal.timeout(15_000),
      ...(body !== undefined && { body }),
    })
  return {
    request,
    call: async (method, path, body, type) => {
      const response = await request(method, path, body, type)
      const text = await response.text()
      expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300)
      return text === "" ? undefined : (JSON.parse(text) as unknown)
    },
  }
}
