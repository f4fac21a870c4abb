import type { ErrorItem, Schemas } from "../api/Client.ts"
import { ruleText } from "../api/Issues.ts"

export type DataSource = Schemas["DataSourceDefinition"]

/** How to log in. */
export type Login = "none" | "basic" | "bearer" | "oauth2"

/** A header, which is never sent as long as it is empty. */
export interface HeaderRow {
  readonly id: number
  readonly name: string
  readonly value: string
  readonly isSecret: boolean
}

/** Every text field, by what it is empty at first. A stored secret has the hidden value. */
const emptyTexts = {
  name: "",
  displayName: "",
  project: "default",
  description: "",
  url: "",
  tenant: "",
  queryDelay: "",
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
}

export type TextField = keyof typeof emptyTexts

export interface SourceValues {
  readonly texts: Readonly<Record<TextField, string>>
  readonly login: Login
  readonly headers: ReadonlyArray<HeaderRow>
}

export const emptyValues: SourceValues = { texts: emptyTexts, login: "none", headers: [] }

let rows = 0

/** A header with an identity of its own. */
export const headerRow = (header: Omit<HeaderRow, "id">): HeaderRow => ({ id: ++rows, ...header })

/** The values of a stored data source. */
export const valuesOf = ({ metadata, spec }: DataSource): SourceValues => {
  const { url, bearer, basic, oauth2, tls, tenant = "", headers = [], queryDelay = "" } = spec.prometheus
  return {
    texts: {
      name: metadata.name,
      displayName: metadata.displayName ?? "",
      project: metadata.project,
      description: spec.description ?? "",
      url,
      tenant,
      queryDelay,
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
    },
    login:
      basic !== undefined
        ? "basic"
        : bearer !== undefined
          ? "bearer"
          : oauth2 === undefined
            ? "none"
            : "oauth2",
    headers: headers.map(({ name, value, isSecret = false }) => headerRow({ name, value, isSecret })),
  }
}

/** The definition that the values describe, valid or not; empty ones are omitted. `edited` has what the form does not show. */
export const definitionOf = (
  { texts, login, headers }: SourceValues,
  apiVersion: string,
  edited: DataSource | undefined,
): DataSource => {
  const { ca, certificate, key, scopes } = texts
  const text = (field: TextField): string => texts[field].trim()
  return {
    apiVersion,
    kind: "DataSource",
    metadata: {
      ...edited?.metadata,
      name: text("name"),
      displayName: text("displayName"),
      project: text("project"),
    },
    spec: {
      description: texts.description,
      prometheus: {
        url: text("url"),
        ...(login === "basic" && { basic: { username: text("username"), password: texts.password } }),
        ...(login === "bearer" && { bearer: { token: text("token") } }),
        ...(login === "oauth2" && {
          oauth2: {
            tokenUrl: text("tokenUrl"),
            clientId: text("clientId"),
            clientSecret: texts.clientSecret,
            scopes: scopes.split(/\s+/).filter((scope) => scope !== ""),
            audience: text("audience"),
          },
        }),
        ...(`${ca}${certificate}${key}`.trim() !== "" && { tls: { ca, certificate, key } }),
        tenant: text("tenant"),
        headers: headers
          .filter(({ name, value }) => `${name}${value}` !== "")
          .map(({ name, value, isSecret }) => ({ name: name.trim(), value, isSecret })),
        queryDelay: text("queryDelay"),
      },
    },
  }
}

export interface SourceIssue {
  /** `undefined`: of no field. */
  readonly field: TextField | "headers" | undefined
  readonly message: string
}

/** The issues of a response, by the fields that they are about. */
export const issuesOf = (errors: ReadonlyArray<ErrorItem>): ReadonlyArray<SourceIssue> =>
  errors.map(({ title, detail: rule = title, source }): SourceIssue => {
    const path = (source?.propertyName ?? "").replace(/^definition\./, "")
    const [isOfHeaders, row, part] = /^spec\.prometheus\.headers(?:\[(\d+)\])?\.?(\w*)/.exec(path) ?? []
    if (isOfHeaders !== undefined) {
      const message = row === undefined ? rule : `header ${Number(row) + 1}: ${part} ${rule}`
      return { field: "headers", message: ruleText(message) }
    }
    const last =
      path
        .replace(/\[\d+\]$/, "")
        .split(".")
        .at(-1) ?? ""
    const field = Object.keys(emptyTexts).find((each): each is TextField => each === last)
    return { field, message: ruleText(field === undefined ? `${path} ${rule}` : rule) }
  })
