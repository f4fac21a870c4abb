import { escaped } from "../frame/Escaped.ts"
import { anchor, json, prose } from "./Html.ts"
import { type ReferenceSchema, schemaHtml, typeHtml } from "./ReferenceSchema.ts"

export interface ReferenceOperation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters: ReadonlyArray<Parameter>
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: ReferenceSchema
  readonly description?: string
  readonly example?: unknown
}

type Content = Readonly<
  Record<string, { readonly schema?: ReferenceSchema; readonly example?: unknown } | undefined>
>

/** An operation: its parameters, body and responses, and a form that sends a request. */
export const operationHtml = (method: string, path: string, operation: ReferenceOperation): string => {
  const { operationId: id, summary = id, description, deprecated } = operation
  const body = operation.requestBody?.content
  return `<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${escaped(summary)}</a></h3>
<p class="path"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escaped(path)}</code></p>
${deprecated ? "<p><strong>Deprecated</strong></p>" : ""}${description === undefined ? "" : `<p>${prose(description)}</p>`}
<p class="dim">${escaped(accessText(operation))}</p>
${parametersHtml(operation.parameters)}
${body === undefined ? "" : `<h4>Request body</h4>${contentHtml(body)}`}
<h4>Responses</h4>
${responsesHtml(operation)}
${tryHtml(method, path, operation)}
</section>`
}

const accessText = ({ security = [] }: ReferenceOperation): string => {
  const schemes = security.flatMap((each) => Object.keys(each))
  if (schemes.length === 0) return "No authentication"
  if (schemes.includes("clientCredentials")) return "Authentication: client ID and client secret (HTTP Basic)"
  return schemes.includes("accessToken")
    ? "Authentication: access token or session"
    : "Authentication: session"
}

const parametersHtml = (parameters: ReadonlyArray<Parameter>): string => {
  if (parameters.length === 0) return ""
  const rows = parameters.map(({ name, in: place, required, schema, description }) => {
    const mark = required ? ' <span class="required">required</span>' : ""
    const note = description === undefined ? "" : `<p>${prose(description)}</p>`
    return `<li><code class="name">${escaped(name)}</code> <span class="type">${place}, ${typeHtml(schema)}</span>${mark}${note}</li>`
  })
  return `<h4>Parameters</h4><ul class="properties">${rows.join("")}</ul>`
}

const contentHtml = (content: Content): string => {
  const types = Object.keys(content).map((type) => `<code>${escaped(type)}</code>`)
  const { schema, example } = Object.values(content)[0] ?? {}
  return `<p class="dim">${types.join(" or ")}</p>${
    schema === undefined ? "" : `<details><summary>Schema</summary>${schemaHtml(schema)}</details>`
  }${example === undefined ? "" : codeHtml(json(example))}`
}

const responsesHtml = ({ responses }: ReferenceOperation): string =>
  `<ul class="responses">${Object.entries(responses)
    .map(([status, { description = "", content }]) => {
      const parts = status < "400" && content !== undefined ? contentHtml(content) : ""
      return `<li><code class="status">${status}</code> ${prose(description)}${parts}</li>`
    })
    .join("")}</ul>`

const codeHtml = (text: string): string => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`

/** Parameters whose values are those of the section on authentication. */
const commonNames: ReadonlySet<string> = new Set(["organization", "x-tocsin-console"])

const tryHtml = (method: string, path: string, operation: ReferenceOperation): string => {
  const { operationId: id, parameters, requestBody, summary = id } = operation
  const fields = parameters
    .filter(({ name }) => !commonNames.has(name))
    .map(({ name, in: place, required, schema, example }) => {
      const isList = schema.type === "array"
      const value = required && example !== undefined ? String(example) : ""
      const attributes = `data-in="${place}" name="${escaped(name)}"${isList ? " data-list" : ""}${required ? " required" : ""}`
      const hint = isList ? " (comma-separated)" : ""
      const options = schema.enum
      const field =
        options === undefined
          ? `<input ${attributes} value="${escaped(value)}" autocomplete="off" spellcheck="false">`
          : `<select ${attributes}>${["", ...options]
              .map(
                (each) =>
                  `<option${String(each) === value ? " selected" : ""}>${escaped(String(each))}</option>`,
              )
              .join("")}</select>`
      return `<label>${escaped(name)}${hint}${field}</label>`
    })
  const isBasic = accessText(operation).includes("Basic")
  const login = isBasic
    ? `<label>Client ID<input name="clientId" data-in="basic" autocomplete="off" required></label><label>Client secret<input type="password" name="clientSecret" data-in="basic" autocomplete="off" required></label>`
    : ""
  const types = Object.keys(requestBody?.content ?? {})
  const example = requestBody?.content["application/json"]?.example
  const body =
    types.length === 0
      ? ""
      : `<label>Content-Type<select data-in="type" name="type">${types.map((type) => `<option>${escaped(type)}</option>`).join("")}</select></label><label class="wide">Body<textarea data-in="body" name="body" rows="8" spellcheck="false">${example === undefined ? "" : escaped(json(example))}</textarea></label>`
  return `<details class="try"><summary>Try it<span class="hidden">: ${escaped(summary)}</span></summary>
<form data-method="${method.toUpperCase()}" data-path="${escaped(path)}">${login}${fields.join("")}${body}
<button type="submit">Send request</button></form>
<div class="result" role="status"></div></details>`
}

/** The entry of an operation in the navigation. */
export const operationLink = (method: string, path: string, operation: ReferenceOperation): string =>
  `<li data-search="${escaped(`${operation.summary ?? ""} ${path}`.toLowerCase())}"><a href="#${operation.operationId}">${escaped(operation.summary ?? operation.operationId)} <span class="method ${method}">${method.toUpperCase()}</span></a></li>`

export const tagAnchor = (tag: string): string => `tag-${anchor(tag)}`
