/** A variable that a template or a list of template fields can name. Source: spec/templates §2. */
export type Variable = {
  /** The name without `$` and without `[]`. */
  readonly name: string
  /** What it stands for, as one sentence. */
  readonly description: string
} & (
  | { readonly type: "text"; readonly sample: string }
  | { readonly type: "array"; readonly sample: ReadonlyArray<string> }
)

/** Every variable there is, in the order in which lists show them. Source: spec/templates §2. */
export const variables = [
  {
    name: "organization",
    type: "text",
    description: "ID of the organization.",
    sample: "acme",
  },
  {
    name: "project_name",
    type: "text",
    description: "Name of the project that the SLO belongs to.",
    sample: "default",
  },
  {
    name: "service_name",
    type: "text",
    description: "Name of the service that the SLO belongs to.",
    sample: "checkout",
  },
  {
    name: "service_labels_text",
    type: "text",
    description: "Labels of the service, as comma-separated key:value pairs.",
    sample: "team:payments, tier:gold",
  },
  {
    name: "slo_name",
    type: "text",
    description: "Name of the SLO.",
    sample: "checkout-latency",
  },
  {
    name: "slo_display_name",
    type: "text",
    description: "Display name of the SLO.",
    sample: "Checkout latency",
  },
  {
    name: "slo_labels_text",
    type: "text",
    description: "Labels of the SLO, as comma-separated key:value pairs.",
    sample: "env:prod, region:eu, region:us",
  },
  {
    name: "slo_details_link",
    type: "text",
    description: "URL of the SLO in the web console.",
    sample: "https://tocsin.example.com/slos/default/checkout-latency",
  },
  {
    name: "objective_name",
    type: "text",
    description: "Name of the objective.",
    sample: "p99-under-300ms",
  },
  {
    name: "objective_display_name",
    type: "text",
    description: "Display name of the objective.",
    sample: "99 % under 300 ms",
  },
  {
    name: "experience_name",
    type: "text",
    description: "Deprecated alias of objective_name.",
    sample: "p99-under-300ms",
  },
  {
    name: "alert_policy_name",
    type: "text",
    description: "Name of the alert policy that triggered.",
    sample: "fast-burn",
  },
  {
    name: "alert_policy_description",
    type: "text",
    description: "Description of the alert policy that triggered.",
    sample: "Alerts when the error budget burns fast.",
  },
  {
    name: "alert_policy_labels_text",
    type: "text",
    description: "Labels of the alert policy, as comma-separated key:value pairs.",
    sample: "team:payments",
  },
  {
    name: "alert_policy_conditions",
    type: "array",
    description: "Conditions of the alert policy, as an array with one string per condition.",
    sample: ["Average burn rate is at least 2 over the last 5 minutes", "Remaining error budget is 10%"],
  },
  {
    name: "alert_policy_conditions_text",
    type: "text",
    description: "Conditions of the alert policy, joined into one text.",
    sample: "Average burn rate is at least 2 over the last 5 minutes, Remaining error budget is 10%",
  },
  {
    name: "severity",
    type: "text",
    description: "Severity of the alert policy: low, medium or high.",
    sample: "high",
  },
  {
    name: "alert_id",
    type: "text",
    description: "ID of the alert, the same when it triggers and when it resolves.",
    sample: "0198c2f4-6f00-7a3b-8c1d-2e4f60718293",
  },
  {
    name: "alert_status",
    type: "text",
    description: "What happened to the alert: triggered, resolved or test.",
    sample: "triggered",
  },
  {
    name: "notification_id",
    type: "text",
    description: "ID of the notification, the same on every attempt to deliver it.",
    sample: "0198c2f4-6f0a-7c55-9b2e-4d6f8091a3b5",
  },
  {
    name: "timestamp",
    type: "text",
    description: "Time of the event, in Unix seconds.",
    sample: "1755684000",
  },
  {
    name: "iso_timestamp",
    type: "text",
    description: "Time of the event, in UTC as RFC 3339 writes it.",
    sample: "2025-08-20T10:00:00Z",
  },
  {
    name: "no_data_alert_after",
    type: "text",
    description: "Time without data after which the alert triggers; empty for other alerts.",
    sample: "15m",
  },
  {
    name: "anomaly_type",
    type: "text",
    description: "Kind of anomaly; empty for alerts that are not about one.",
    sample: "no_data",
  },
] as const satisfies ReadonlyArray<Variable>

/** The name of a variable, without `$` and without `[]`. */
export type VariableName = (typeof variables)[number]["name"]

/** A value for each variable. */
export type VariableValues = {
  readonly [V in (typeof variables)[number] as V["name"]]: V["type"] extends "array"
    ? ReadonlyArray<string>
    : string
}

/** The details that a form for predefined details ticks at first, in their order. */
export const detailsTickedAtFirst: ReadonlyArray<VariableName> = [
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

/** The variables by name, without `$` and without `[]`. */
export const variableByName: ReadonlyMap<string, (typeof variables)[number]> = new Map(
  variables.map((variable) => [variable.name, variable]),
)

/**
 * Writes a variable as `templateFields` lists it: its name, followed by `[]` when it yields an array.
 *
 * Source: spec/templates §2.
 */
export const variableField = (variable: Variable): string =>
  variable.type === "array" ? `${variable.name}[]` : variable.name
