/** The organization of the demo. */
export const demoOrganization = "demo"

/** An SLO of the demo, with the share of its events that is good as a rule. */
export interface DemoSlo {
  readonly project: string
  readonly service: string
  readonly name: string
  readonly displayName: string
  readonly target: number
  readonly goodShare: number
  /** Events a minute. */
  readonly traffic: number
}

const slo = (
  project: string,
  service: string,
  name: string,
  displayName: string,
  target: number,
  goodShare: number,
  traffic: number,
): DemoSlo => ({ project, service, name, displayName, target, goodShare, traffic })

/** The SLO that gets into danger. */
export const endangeredSlo = slo(
  "shop",
  "checkout",
  "checkout-latency",
  "Checkout answers within 300 ms",
  0.99,
  0.994,
  1_200,
)

/** The dozen SLOs of the demo. */
export const demoSlos: ReadonlyArray<DemoSlo> = [
  endangeredSlo,
  slo("shop", "checkout", "checkout-availability", "Checkout answers", 0.999, 0.9995, 1_200),
  slo("shop", "cart", "cart-availability", "Cart answers", 0.995, 0.998, 2_400),
  slo("shop", "cart", "cart-latency", "Cart answers within 200 ms", 0.98, 0.99, 2_400),
  slo("shop", "search", "search-latency", "Search answers within 500 ms", 0.95, 0.97, 3_600),
  slo("shop", "search", "search-freshness", "New products are found within 5 min", 0.9, 0.93, 60),
  slo("payments", "cards", "card-authorization", "Cards are authorized", 0.995, 0.9969, 600),
  slo("payments", "cards", "card-latency", "Cards are authorized within 2 s", 0.97, 0.985, 600),
  slo("payments", "payouts", "payout-success", "Payouts succeed", 0.999, 0.9992, 30),
  slo("platform", "login", "login-availability", "Login answers", 0.999, 0.9996, 900),
  slo("platform", "login", "login-latency", "Login answers within 250 ms", 0.98, 0.986, 900),
  slo("platform", "mail", "mail-delivery", "Mail is handed over within a minute", 0.99, 0.995, 180),
]

/** The objective that every SLO of the demo has. */
export const demoObjective = "good-events"

/** The alert method that the demo rings. */
export const demoAlertMethod = { project: "shop", name: "on-call" } as const

const demoAlertPolicy = { project: "shop", name: "fast-burn" } as const

const apiVersion = "tocsin/v1alpha"

/** Every definition of the demo: the alert method sends to `webhookUrl`; the policy is its SLO's when `isEvaluated`. */
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
    ...projects.map((name) => ({
      apiVersion,
      kind: "Project",
      metadata: { name, displayName: capitalized(name) },
      spec: {},
    })),
    ...services.map(({ project, service }) => ({
      apiVersion,
      kind: "Service",
      metadata: { name: service, displayName: capitalized(service), project, labels: { team: [project] } },
      spec: {},
    })),
    ...demoSlos.map((one) => ({
      apiVersion,
      kind: "SLO",
      metadata: {
        name: one.name,
        displayName: one.displayName,
        project: one.project,
        labels: { env: ["prod"] },
      },
      spec: {
        service: one.service,
        budgetingMethod: "Occurrences",
        timeWindows: [{ unit: "Day", count: 7, isRolling: true }],
        objectives: [{ name: demoObjective, displayName: "Good events", target: one.target }],
        ...(one === endangeredSlo && isEvaluated ? { alertPolicies: [demoAlertPolicy.name] } : {}),
      },
    })),
    {
      apiVersion,
      kind: "AlertPolicy",
      metadata: { ...demoAlertPolicy, displayName: "Fast burn" },
      spec: {
        description: "The budget burns at least five times as fast as it may.",
        severity: "High",
        coolDown: "5m",
        conditions: [{ measurement: "averageBurnRate", value: 5, op: "gte", alertingWindow: "5m" }],
        alertMethods: [{ metadata: demoAlertMethod }],
      },
    },
    {
      apiVersion,
      kind: "AlertMethod",
      metadata: { ...demoAlertMethod, displayName: "On call" },
      spec: {
        description: "The receiver of the demo, on this machine.",
        webhook: {
          url: webhookUrl,
          template: `{
            "text": "$slo_display_name: $alert_policy_conditions_text",
            "status": "$alert_status",
            "severity": "$severity",
            "conditions": $alert_policy_conditions[],
            "slo": "$project_name/$slo_name",
            "link": "$slo_details_link",
            "at": "$iso_timestamp",
            "notification_id": "$notification_id"
          }`,
          headers: [{ name: "X-Demo", value: "tocsin" }],
          sendResolution: true,
        },
      },
    },
  ]
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
