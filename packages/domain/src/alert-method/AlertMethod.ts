import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Codec, described, mapped, once, secret, type TypeOf } from "../codec/Codec.ts"
import { list, notAllowed, object, optional } from "../codec/Containers.ts"
import { definitionEntriesMax, entryPath } from "../codec/Issue.ts"
import { boolean, isStorable, notStorableMessage, string } from "../codec/Leaves.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { description, unlabelledMetadata } from "../metadata/Metadata.ts"
import { templateFieldsToTemplate } from "../template/TemplateFields.ts"
import { templateMaxBytes, parseTemplate, type Template } from "../template/Template.ts"
import { type CustomHeader, customHeaders } from "./CustomHeader.ts"
import { type WebhookUrl, webhookUrl } from "./WebhookUrl.ts"
import { nameMaxCharacters } from "../codec/NameFromDisplayName.ts"

/** A template as text. */
export interface TemplateText {
  /** As it was written. */
  readonly text: string
  /** What it renders. */
  readonly template: Template
}

const templateText: Codec<TemplateText, unknown, string> = {
  read: (value, path, issues) => {
    if (typeof value !== "string") {
      const message = "must be a string that contains JSON, not an object; write it after `template: |`"
      return issues.add(path, "wrong_type", message)
    }
    if (!isStorable(value)) return issues.add(path, "invalid_format", notStorableMessage)
    const parsed = parseTemplate(value)
    if (Result.isSuccess(parsed)) return { text: value, template: parsed.success }
    for (const { code, message, hint, line, column } of parsed.failure) {
      issues.add(
        path,
        code,
        `line ${line}, column ${column}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
      )
    }
    return undefined
  },
  write: ({ text }) => text,
  schema: once(() =>
    Schema.String.annotate({
      description: `JSON with variables, at most ${templateMaxBytes} bytes; this or templateFields`,
    }),
  ),
}

/** A template as a list of variables: an object with a property for each. */
export interface TemplateFieldList {
  /** The names of the variables, in the order of the properties. */
  readonly fields: ReadonlyArray<string>
  /** What it renders. */
  readonly template: Template
}

const templateFields = mapped(list(string({ max: nameMaxCharacters }), { max: definitionEntriesMax }), {
  decode: (fields, path, issues): TemplateFieldList | undefined => {
    const built = templateFieldsToTemplate(fields)
    if (Result.isSuccess(built)) return { fields, template: built.success }
    for (const { code, index, message, hint } of built.failure) {
      issues.add(entryPath(path, index), code, `${message}${hint === undefined ? "" : ` ${hint}`}`)
    }
    return undefined
  },
  encode: ({ fields }) => fields,
})

const writtenWebhook = object(
  {
    url: optional(
      described(
        secret(webhookUrl, ({ href }) => href),
        "Starts with https://. Returned as [hidden]. If it is [hidden] or omitted in a request, the stored URL is not changed",
      ),
    ),
    template: optional(templateText, { absent: "null" }),
    templateFields: optional(
      described(templateFields, "Variables to send as a flat JSON object, instead of template"),
      { isEmpty: ({ fields }) => fields.length === 0 },
    ),
    headers: optional(customHeaders, { default: () => [], isEmpty: (headers) => headers.length === 0 }),
    sendResolution: optional(boolean, { default: () => false, isEmpty: (isSent) => !isSent }),
  },
  {
    rules: ({ has, given, path, issues }) => {
      // Which of the two is given is a matter of what is written, not of whether it could be read.
      const listed = given("templateFields")
      const hasFields = Array.isArray(listed) ? listed.length > 0 : has("templateFields")
      if (has("template") && hasFields) {
        issues.add(path, "mutually_exclusive", "must have either template or templateFields, not both")
      } else if (!has("template") && !hasFields) {
        issues.add(path, "required", "must have either template or templateFields")
      }
    },
  },
)

const webhook = mapped(writtenWebhook, {
  decode: ({ template, templateFields, ...webhook }) => {
    const body = template ?? templateFields
    return body && { ...webhook, body }
  },
  encode: ({ body, ...webhook }) => ({
    ...webhook,
    ...("text" in body ? { template: body } : { templateFields: body }),
  }),
})

const otherType = (type: string) =>
  notAllowed(`is not supported: send a webhook to ${type}, or to a program that forwards it`)

/** Ways to notify that a document may ask for and the service does not have, by the property of `spec`. */
const otherTypes = {
  discord: otherType("Discord"),
  email: otherType("a mail gateway"),
  jira: otherType("Jira"),
  msteams: otherType("Microsoft Teams"),
  opsgenie: otherType("Opsgenie"),
  pagerduty: otherType("PagerDuty"),
  servicenow: otherType("ServiceNow"),
  slack: otherType("Slack"),
}

/** The properties of `spec` that ask for another type of alert method than `webhook`. */
export const otherMethodTypes: ReadonlyArray<string> = Object.keys(otherTypes)

/** The codec of an alert method definition; its only supported type is `webhook`. */
export const alertMethod = definitionOf("AlertMethod", {
  identifier: "AlertMethodDefinition",
  metadata: unlabelledMetadata,
  spec: object({ description: optional(description), webhook, ...otherTypes }),
})

/** An alert method as submitted: hidden values and an omitted URL refer to the stored ones. */
export type AlertMethodDraft = TypeOf<typeof alertMethod>

interface Webhook extends Omit<TypeOf<typeof webhook>, "url" | "headers"> {
  readonly url: Redacted.Redacted<WebhookUrl>
  readonly headers: ReadonlyArray<CustomHeader>
}

/** An alert method with all secrets resolved. */
export interface AlertMethod extends Omit<AlertMethodDraft, "spec"> {
  /** The URL of the webhook is always present, and no value is `[hidden]`. */
  readonly spec: Omit<AlertMethodDraft["spec"], "webhook"> & { readonly webhook: Webhook }
}
