import { nearestName } from "../codec/NearestName.ts"
import { variableByName, type VariableName } from "./Variable.ts"

/** A part of a template that another tool would replace, and Tocsin sends as it is. */
export interface ForeignPlaceholder {
  readonly from: number
  readonly to: number
  /** As it is written, at most 64 characters of it. */
  readonly text: string
  /** The text variable that most likely has its value; absent for loops, conditions and what Tocsin does not have. */
  readonly variable?: VariableName
}

/**
 * Finds placeholders of other tools in a text: `{{ .X }}` (Go templates, Jinja, Handlebars), `${x}` (shells, Grafana, JavaScript),
 * `{% … %}`, `<% … %>`, `[[x]]`, `%{x}`, `%(x)s`, `#{x}` and `@{x}`; and those of variables in other brackets or letters, such as
 * `{slo_name}` or `$SLO_NAME`.
 */
export const foreignPlaceholders = (text: string): ReadonlyArray<ForeignPlaceholder> =>
  Array.from(text.matchAll(anyPlaceholder)).flatMap((found): ReadonlyArray<ForeignPlaceholder> => {
    const [whole, ...groups] = found
    const expression = groups.slice(0, -2).find((each) => each !== undefined)
    const name = groups.slice(-2).find((each) => each !== undefined)
    const variable = name === undefined ? variableOf(expression ?? "") : textVariable(snakeCase(name))
    // Other words in such brackets are text.
    if (name !== undefined && variable === undefined) return []
    return [
      {
        from: found.index,
        to: found.index + whole.length,
        text: clipped(whole),
        ...(variable !== undefined && { variable }),
      },
    ]
  })

const clipped = (text: string): string => (text.length > 64 ? `${text.slice(0, 64)}…` : text)

/** What is between brackets is short, so that no text takes long. */
const bracketed = [
  /\{\{\{?([^{}]{0,400})\}?\}\}/,
  /[$#@%]\{([^{}]{0,400})\}/,
  /\{%([^{}%]{0,400})%\}/,
  /<%([^<>%]{0,400})%>/,
  /\[\[(\s*[A-Za-z_.][\w.]{0,63}\s*)\]\]/,
  /%\((\w{1,64})\)s/,
]

const sourceOf = (patterns: ReadonlyArray<RegExp>): string => patterns.map(({ source }) => source).join("|")

const anyPlaceholder = new RegExp(
  sourceOf([...bracketed, /[{<%]([A-Za-z_]{3,64})[}>%]/, /\$([A-Z][A-Za-z_]{2,63})/]),
  "g",
)

/** Of `.CommonLabels.alertname | toUpper`, the variable for `alertname`. */
const variableOf = (expression: string): VariableName | undefined => {
  // `{{- .Status -}}`, `<%= status %>`.
  const [, path] = /^[-=~&\s]*[.$]*\s*([A-Za-z_][\w.]*)\s*(?:\||[-~]?\s*$)/.exec(expression) ?? []
  const last = path?.split(".").findLast((part) => part !== "")
  if (last === undefined || /^(?:if|else|end|range|with|for|each|block|template|define|include)$/.test(last))
    return undefined
  const name = snakeCase(last)
  return textVariable(name) ?? textVariable(synonyms.get(name)) ?? textVariable(near(name))
}

const near = (name: string): string | undefined => nearestName(name, variableByName.keys())

/** `alertName` and `ALERT_NAME` become `alert_name`. */
const snakeCase = (name: string): string => name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase()

/** An array cannot be inside a string, where a placeholder is; its text can. */
const textVariable = (name: string | undefined): VariableName | undefined => {
  const variable = name === undefined ? undefined : variableByName.get(name)
  return variable?.type === "array" ? "alert_policy_conditions_text" : variable?.name
}

/** What Alertmanager, Grafana and others call the values that Tocsin has. */
const synonyms: ReadonlyMap<string, VariableName> = new Map(
  Object.entries({
    alert_policy_name: "alertname alert_name rule_name rulename title monitor_name",
    alert_policy_description: "description",
    alert_policy_conditions_text: "summary message body reason value_string values",
    alert_status: "status state alert_state event_type",
    severity: "priority level criticality",
    alert_id: "fingerprint group_key dedup_key incident_key incident_id event_id",
    slo_details_link: "external_url generator_url dashboard_url panel_url url link details_url",
    iso_timestamp: "starts_at ends_at date datetime time now",
    service_name: "service job app application component",
    slo_name: "slo sloth_slo",
    slo_labels_text: "labels common_labels group_labels tags",
    project_name: "project namespace",
    objective_name: "objective",
    organization: "org org_name tenant",
  } satisfies Partial<Record<VariableName, string>>).flatMap(([variable, names]) =>
    names.split(" ").map((name) => [name, variable as VariableName] as const),
  ),
)
