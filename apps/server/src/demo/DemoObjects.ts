export const demoOrganization = "demo"

export interface DemoSlo {
  readonly project: string
  readonly service: string
  readonly name: string
  readonly displayName: string
  readonly target: number
  /** The share of good events outside incidents. */
  readonly goodShare: number
  /** Events per minute, on average over a day. */
  readonly traffic: number
  readonly pastIncidents: ReadonlyArray<{ readonly daysAgo: number; readonly hours: number }>
}

const slo = (
  project: string,
  service: string,
  name: string,
  displayName: string,
  target: number,
  goodShare: number,
  traffic: number,
  pastIncidents: DemoSlo["pastIncidents"] = [],
): DemoSlo => ({ project, service, name, displayName, target, goodShare, traffic, pastIncidents })

export const atRiskSlo = slo(
  "shop",
  "checkout",
  "checkout-latency",
  "Checkout responds within 300 ms",
  0.99,
  0.9945,
  1_200,
  [
    { daysAgo: 19, hours: 7 },
    { daysAgo: 6, hours: 3 },
  ],
)

export const demoSlos: ReadonlyArray<DemoSlo> = [
  atRiskSlo,
  slo("shop", "checkout", "checkout-availability", "Checkout is available", 0.999, 0.9996, 1_200),
  slo("shop", "cart", "cart-availability", "Cart is available", 0.995, 0.998, 2_400),
  slo("shop", "cart", "cart-latency", "Cart responds within 200 ms", 0.98, 0.99, 2_400),
  slo("shop", "search", "search-latency", "Search responds within 500 ms", 0.95, 0.97, 3_600),
  slo("shop", "search", "search-freshness", "New products are searchable within 5 min", 0.95, 0.97, 60),
  slo("payments", "cards", "card-authorization", "Card payments are authorized", 0.995, 0.9969, 600, [
    { daysAgo: 12, hours: 5 },
  ]),
  slo("payments", "cards", "card-latency", "Card payments are authorized within 2 s", 0.97, 0.985, 600),
  slo("payments", "payouts", "payout-success", "Payouts succeed", 0.999, 0.9992, 30, [
    { daysAgo: 9, hours: 24 },
  ]),
  slo("platform", "login", "login-availability", "Login is available", 0.999, 0.9996, 900, [
    { daysAgo: 22, hours: 4 },
  ]),
  slo("platform", "login", "login-latency", "Login responds within 250 ms", 0.98, 0.986, 900),
  slo("platform", "mail", "mail-delivery", "Mail is delivered within a minute", 0.99, 0.995, 180),
]

export const demoObjective = "good-events"

export const demoAlertMethod = { project: "shop", name: "on-call" } as const

const demoAlertPolicy = { project: "shop", name: "fast-burn" } as const

/** Every definition of the demo. The alert method sends to `webhookUrl`; the SLO has its alert policy if `isEvaluated`. */
export const demoDefinitions = ({
  webhookUrl,
  isEvaluated,
}: {
  readonly webhookUrl: string
  readonly isEvaluated: boolean
}): ReadonlyArray<object> => {
  const projects = [...new Set(demoSlos.map(({ project }) => project))]
  const services = [...new Map(demoSlos.map((one) => [`${one.project}/${one.service}`, one])).values()]
  return [
    ...projects.map((name) => definition("Project", { name, displayName: capitalized(name) }, {})),
    ...services.map(({ project, service }) =>
      definition(
        "Service",
        { name: service, displayName: capitalized(service), project, labels: { team: [project] } },
        {},
      ),
    ),
    ...demoSlos.map((one) => {
      const { project, service, name, displayName, target } = one
      return definition(
        "SLO",
        { name, displayName, project, labels: { env: ["prod"] } },
        {
          service,
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
          objectives: [{ name: demoObjective, displayName: "Good events", target }],
          ...(one === atRiskSlo && isEvaluated && { alertPolicies: [demoAlertPolicy.name] }),
        },
      )
    }),
    definition(
      "AlertPolicy",
      { ...demoAlertPolicy, displayName: "Fast burn" },
      {
        description: "The error budget burns at least five times as fast as the target allows.",
        severity: "High",
        coolDown: "5m",
        conditions: [{ measurement: "averageBurnRate", value: 5, op: "gte", alertingWindow: "5m" }],
        alertMethods: [{ metadata: demoAlertMethod }],
      },
    ),
    definition(
      "AlertMethod",
      { ...demoAlertMethod, displayName: "On call" },
      {
        description: "The receiver that runs inside the demo.",
        webhook: {
          url: webhookUrl,
          template: notificationTemplate,
          headers: [{ name: "X-Demo", value: "tocsin" }],
          sendResolution: true,
        },
      },
    ),
  ]
}

const notificationTemplate = `{
  "text": "$slo_display_name: $alert_policy_conditions_text",
  "status": "$alert_status",
  "severity": "$severity",
  "conditions": $alert_policy_conditions[],
  "slo": "$project_name/$slo_name",
  "link": "$slo_details_link",
  "at": "$iso_timestamp",
  "notification_id": "$notification_id"
}`

const definition = (kind: string, metadata: object, spec: object) => ({
  apiVersion: "tocsin/v1alpha",
  kind,
  metadata,
  spec,
})

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
