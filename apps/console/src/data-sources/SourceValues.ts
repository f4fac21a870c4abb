import type { Schemas } from "../api/Client.ts"
import { emptyGeneral, generalOf, type GeneralValues, metadataOf, withText } from "../editor/General.tsx"
import { type HeaderRow, headerRows, headersOf } from "../editor/HeaderRows.tsx"
import type { IsSecret } from "../editor/Secrets.ts"

export type DataSource = Schemas["DataSourceDefinition"]

/** How to log in. */
export type Login = "none" | "basic" | "bearer" | "oauth2"

/** The values of the form. A stored secret has the hidden value. */
export interface SourceValues extends GeneralValues {
  readonly url: string
  readonly tenant: string
  readonly queryDelay: string
  readonly login: Login
  readonly username: string
  readonly password: string
  readonly token: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: string
  readonly audience: string
  readonly ca: string
  readonly certificate: string
  readonly key: string
  readonly headers: ReadonlyArray<HeaderRow>
}

/** The values of an empty form. */
export const newValues = (): SourceValues => ({
  ...emptyGeneral,
  url: "",
  tenant: "",
  queryDelay: "",
  login: "none",
  username: "",
  password: "",
  token: "",
  tokenUrl: "",
  clientId: "",
  clientSecret: "",
  scopes: "",
  audience: "",
  ca: "",
  certificate: "",
  key: "",
  headers: [],
})

/** The values of a stored data source. */
export const valuesOf = (source: DataSource): SourceValues => {
  const { url, bearer, basic, oauth2, tls, tenant, headers, queryDelay } = source.spec.prometheus
  const login = basic ? "basic" : bearer ? "bearer" : oauth2 ? "oauth2" : "none"
  return {
    ...generalOf(source),
    url: url ?? "",
    tenant: tenant ?? "",
    queryDelay: queryDelay ?? "",
    login,
    username: basic?.username ?? "",
    password: basic?.password ?? "",
    token: bearer?.token ?? "",
    tokenUrl: oauth2?.tokenUrl ?? "",
    clientId: oauth2?.clientId ?? "",
    clientSecret: oauth2?.clientSecret ?? "",
    scopes: oauth2?.scopes?.join(" ") ?? "",
    audience: oauth2?.audience ?? "",
    ca: tls?.ca ?? "",
    certificate: tls?.certificate ?? "",
    key: tls?.key ?? "",
    headers: headerRows(headers),
  }
}

/** The definition that the values describe, valid or not; empty ones are omitted. */
export const definitionOf = (values: SourceValues, apiVersion: string): DataSource => {
  const { url, login, username, password, token, tokenUrl, clientId, clientSecret, scopes, audience } = values
  const { ca, certificate, key, headers } = values
  const scopeList = scopes.split(/\s+/).filter((scope) => scope !== "")
  return {
    apiVersion,
    kind: "DataSource",
    metadata: metadataOf(values),
    spec: {
      ...withText("description", values.description),
      prometheus: {
        url: url.trim(),
        ...(login === "basic" && { basic: { username: username.trim(), password } }),
        ...(login === "bearer" && { bearer: { token: token.trim() } }),
        ...(login === "oauth2" && {
          oauth2: {
            tokenUrl: tokenUrl.trim(),
            clientId: clientId.trim(),
            clientSecret,
            ...(scopeList.length > 0 && { scopes: scopeList }),
            ...withText("audience", audience),
          },
        }),
        ...(`${ca}${certificate}${key}`.trim() !== "" && {
          tls: { ...withText("ca", ca), ...withText("certificate", certificate), ...withText("key", key) },
        }),
        ...withText("tenant", values.tenant),
        ...(headers.length > 0 && { headers: headersOf(headers) }),
        ...withText("queryDelay", values.queryDelay),
      },
    },
  } as DataSource
}

/** What the YAML of a data source hides. */
export const isSecret: IsSecret = (path, parent) =>
  /^spec\.prometheus\.(?:basic\.password|bearer\.token|oauth2\.clientSecret|tls\.key)$/.test(path) ||
  (/^spec\.prometheus\.headers\[.*\]\.value$/.test(path) && parent["isSecret"] === true)
