/** A variable of templates and template fields. */
export type Variable = {
  /** Without `$` and `[]`. */
  readonly name: string
  /** One sentence. */
  readonly description: string
} & (
  | { readonly type: "text"; readonly sample: string }
  | { readonly type: "array"; readonly sample: ReadonlyArray<string> }
)

const text = <const N extends string>(name: N, description: string, sample: string) =>
  ({ name, type: "text", description, sample }) as const

const array = <const N extends string>(name: N, description: string, sample: ReadonlyArray<string>) =>
  ({ name, type: "array", description, sample }) as const

/** All variables (spec/templates §1), in the order in which lists show them. */
export const variables = [
  text("organization", "ID of the organization.", "acme"),
  text("project_name", "Name of the project that the SLO belongs to.", "default"),
  text("service_name", "Name of the service that the SLO belongs to.", "checkout"),
  text(
    "service_labels_text",
    "Labels of the service, as comma-separated key:value pairs.",
    "team:payments, tier:gold",
  ),
  text("slo_name", "Name of the SLO.", "checkout-latency"),
  text("slo_display_name", "Display name of the SLO.", "Checkout latency"),
  text(
    "slo_labels_text",
    "Labels of the SLO, as comma-separated key:value pairs.",
    "env:prod, region:eu, region:us",
  ),
  text(
    "slo_details_link",
    "URL of the SLO in the web console.",
    "https://tocsin.example.com/slos/default/checkout-latency",
  ),
  text("objective_name", "Name of the objective.", "p99-under-300ms"),
  text("objective_display_name", "Display name of the objective.", "99% under 300 ms"),
  text("experience_name", "Deprecated alias of $objective_name.", "p99-under-300ms"),
  text("alert_policy_name", "Name of the alert policy that triggered.", "fast-burn"),
  text(
    "alert_policy_description",
    "Description of the alert policy that triggered.",
    "Alerts when the error budget burns fast.",
  ),
  text(
    "alert_policy_labels_text",
    "Labels of the alert policy, as comma-separated key:value pairs.",
    "team:payments",
  ),
  array(
    "alert_policy_conditions",
    "Conditions of the alert policy, as an array with one string per condition.",
    ["Average burn rate is at least 2 over the last 5 minutes", "Remaining error budget is 10%"],
  ),
  text(
    "alert_policy_conditions_text",
    "Conditions of the alert policy, joined into one string.",
    "Average burn rate is at least 2 over the last 5 minutes, Remaining error budget is 10%",
  ),
  text("severity", "Severity of the alert policy: low, medium or high.", "high"),
  text(
    "alert_id",
    "ID of the alert, the same when it triggers and when it resolves.",
    "0198c2f4-6f00-7a3b-8c1d-2e4f60718293",
  ),
  text(
    "acknowledge_link",
    "URL of a page that acknowledges the alert without signing in, for 24 hours; empty when the alert is resolved.",
    "https://tocsin.example.com/acknowledge?token=test",
  ),
  text("alert_status", "Status of the alert: triggered, resolved, silence_ending or test.", "triggered"),
  text(
    "notification_id",
    "ID of the notification, the same on every attempt to deliver it.",
    "0198c2f4-6f0a-7c55-9b2e-4d6f8091a3b5",
  ),
  text("timestamp", "Time of the event, in Unix seconds.", "1755684000"),
  text("iso_timestamp", "Time of the event, as RFC 3339 in UTC.", "2025-08-20T10:00:00Z"),
  text(
    "no_data_alert_after",
    "Time without data after which the alert triggers; empty for other alerts.",
    "15m",
  ),
  text("anomaly_type", "Type of the anomaly: no_data; empty for other alerts.", "no_data"),
  text(
    "budget_exhausted_at",
    "Time at which the error budget is exhausted at the pace of the last hour, as RFC 3339 in UTC; empty if it is sufficient or exhausted.",
    "2025-08-22T03:20:00Z",
  ),
  text("silence_name", "Name of the silence that ends soon; empty for alerts.", "database-move"),
  text(
    "silence_ends_at",
    "Time at which the silence ends, as RFC 3339 in UTC; empty for alerts.",
    "2025-08-20T10:15:00Z",
  ),
] as const satisfies ReadonlyArray<Variable>

/** The name of a variable, without `$` and `[]`. */
export type VariableName = (typeof variables)[number]["name"]

/** A value for each variable. */
export type VariableValues = {
  readonly [V in (typeof variables)[number] as V["name"]]: V["type"] extends "array"
    ? ReadonlyArray<string>
    : string
}

/** The variables that the form for predefined details selects at first, in this order. */
export const detailsSelectedAtFirst: ReadonlyArray<VariableName> = [
  "project_name",
  "service_name",
  "slo_name",
  "objective_name",
  "alert_policy_name",
  "severity",
  "alert_policy_conditions",
  "slo_details_link",
  "iso_timestamp",
  "alert_id",
]

/** All variables, by the name without `$` and `[]`. */
export const variableByName: ReadonlyMap<string, (typeof variables)[number]> = new Map(
  variables.map((variable) => [variable.name, variable]),
)

/** A variable as `templateFields` lists it: an array has `[]` after its name. */
export const variableField = (variable: Variable): string =>
  variable.type === "array" ? `${variable.name}[]` : variable.name

/** Completes values: an omitted variable is empty, and `experience_name` is `objective_name`. */
export const variableValues = (
  applying: Partial<Omit<VariableValues, "experience_name">>,
): VariableValues => ({
  ...nothingApplies,
  ...applying,
  experience_name: applying.objective_name ?? "",
})

const valuesOf = (value: (variable: Variable) => string | ReadonlyArray<string>): VariableValues =>
  Object.fromEntries(variables.map((variable) => [variable.name, value(variable)])) as VariableValues

const nothingApplies: VariableValues = valuesOf((variable) => (variable.type === "array" ? [] : ""))

/** A plausible value for each variable, for previews and for the test of an alert method. */
export const sampleVariableValues: VariableValues = valuesOf((variable) => variable.sample)
