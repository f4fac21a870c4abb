/** A mistake that people make, and the answer to it: what is wrong, where, and how to fix it. */
export interface Mistake {
  readonly mistake: string
  /** Lines of the answer, each of them whole, apart from `tocsin: ` and indentation. */
  readonly answer: string | ReadonlyArray<string>
}

/** A mistake in a document, which is in the file `given.yaml`. */
export interface DocumentMistake extends Mistake {
  readonly document: string
}

/** A mistake in a command. */
export interface CommandMistake extends Mistake {
  /** What is written after `tocsin`; a file is named by its key in `files`. */
  readonly command: string
  readonly files?: Readonly<Record<string, string>>
  /** Changes of the environment of an editor of the organization; an empty variable is not set. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A mistake in a request. A line of the answer is the status, and the property, title and detail of an error. */
export interface RequestMistake extends Mistake {
  readonly request: string
  /** Changes of the headers of an editor; an empty header is not sent. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const slo = (from: string, to: string): string =>
  changed(
    `apiVersion: tocsin/v1alpha
kind: SLO
metadata: { name: search }
spec:
  service: web
  budgetingMethod: Occurrences
  timeWindows: [{ unit: Day, count: 28, isRolling: true }]
  objectives: [{ name: good, target: 0.99 }]
`,
    from,
    to,
  )

const policy = (from: string, to: string): string =>
  changed(
    `apiVersion: tocsin/v1alpha
kind: AlertPolicy
metadata: { name: slow-burn }
spec:
  severity: High
  conditions: [{ measurement: averageBurnRate, value: 2, alertingWindow: 1h }]
  alertMethods: [{ metadata: { name: on-call } }]
`,
    from,
    to,
  )

const method = (from: string, to: string): string =>
  changed(
    `apiVersion: tocsin/v1alpha
kind: AlertMethod
metadata: { name: chat }
spec:
  webhook:
    url: https://hooks.example.com/chat
    templateFields: [slo_name]
`,
    from,
    to,
  )

const silence = (from: string, to: string): string =>
  changed(
    `apiVersion: tocsin/v1alpha
kind: AlertSilence
metadata: { name: release }
spec:
  slo: checkout
  period: { startTime: 2026-01-30T20:00:00Z, duration: 2h }
`,
    from,
    to,
  )

const changed = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`the document has no ${from}`)
  return text.replace(from, to)
}

/** Files in which `tocsin apply -f given.yaml --dry-run` finds a mistake. */
export const documentMistakes: ReadonlyArray<DocumentMistake> = [
  {
    mistake: "a target in percent, as text",
    document: slo("0.99", '"99.9%"'),
    answer: "given.yaml (SLO search): spec.objectives[0].target: must be a number: write 99.9% as 0.999",
  },
  {
    mistake: "a target in percent, as a number",
    document: slo("0.99", "99.9"),
    answer:
      "given.yaml (SLO search): spec.objectives[0].target: must be at least 0 and less than 1; it is a share, so write 99.9% as 0.999",
  },
  {
    mistake: "a target of 1",
    document: slo("0.99", "1"),
    answer:
      "given.yaml (SLO search): spec.objectives[0].target: must be at least 0 and less than 1; a target of 100% leaves no error budget: write 99.9% as 0.999",
  },
  {
    mistake: "a target of 100",
    document: slo("0.99", "100"),
    answer:
      "given.yaml (SLO search): spec.objectives[0].target: must be at least 0 and less than 1; a target of 100% leaves no error budget: write 99.9% as 0.999",
  },
  {
    mistake: "no target",
    document: slo(", target: 0.99", ""),
    answer: "given.yaml (SLO search): spec.objectives[0].target: is required",
  },
  {
    mistake: "a time window as text",
    document: slo("[{ unit: Day, count: 28, isRolling: true }]", "30d"),
    answer:
      "given.yaml (SLO search): spec.timeWindows: must be a list, such as [{ unit: Day, count: 28, isRolling: true }]",
  },
  {
    mistake: "a time window as text in a list",
    document: slo("{ unit: Day, count: 28, isRolling: true }", "30d"),
    answer:
      "given.yaml (SLO search): spec.timeWindows[0]: must be an object, such as { unit: Day, count: 28, isRolling: true } for the last 28 days",
  },
  {
    mistake: "a rolling month",
    document: slo("unit: Day, count: 28", "unit: Month, count: 1"),
    answer:
      "given.yaml (SLO search): spec.timeWindows[0].unit: must be Minute, Hour or Day in a rolling window; for weeks or longer, count days, or replace isRolling with calendar",
  },
  {
    mistake: "a window of two years",
    document: slo("count: 28", "count: 730"),
    answer:
      "given.yaml (SLO search): spec.timeWindows[0]: must be at least 5 minutes and at most 400 days long",
  },
  {
    mistake: "a calendar without a time zone that exists",
    document: slo("isRolling: true", "calendar: { startTime: 2026-01-01T00:00:00Z, timeZone: CEST }"),
    answer: [
      "given.yaml (SLO search): spec.timeWindows[0].calendar.startTime: must be a date from 1970 on with a time, such as 2026-01-01 00:00:00, without a time zone",
      "given.yaml (SLO search): spec.timeWindows[0].calendar.timeZone: must be an IANA time zone name, such as Europe/Paris or UTC",
    ],
  },
  {
    mistake: "no budgeting method",
    document: slo("  budgetingMethod: Occurrences\n", ""),
    answer:
      "given.yaml (SLO search): spec.budgetingMethod: is required and must be one of Occurrences, Timeslices",
  },
  {
    mistake: "a misspelled budgeting method",
    document: slo("Occurrences", "TimeSlices"),
    answer:
      "given.yaml (SLO search): spec.budgetingMethod: must be one of Occurrences, Timeslices; did you mean Timeslices?",
  },
  {
    mistake: "time slices without a target of their own",
    document: slo("Occurrences", "Timeslices"),
    answer:
      "given.yaml (SLO search): spec.objectives[0].timeSliceTarget: is required for the budgeting method Timeslices",
  },
  {
    mistake: "a label as text",
    document: slo("name: search", "name: search, labels: { team: payments }"),
    answer:
      'given.yaml (SLO search): metadata.labels.team: must be a list of strings: write [prod] for prod, with numbers, true and false in quotes, such as ["1.20"]',
  },
  {
    mistake: "capitals in a name",
    document: slo("name: search", "name: Search"),
    answer:
      "given.yaml (SLO Search): metadata.name: must consist of lowercase letters, digits and -, and begin and end with a letter or digit",
  },
  {
    mistake: "an underscore in a name",
    document: slo("name: search", "name: search_latency"),
    answer:
      "given.yaml (SLO search_latency): metadata.name: must consist of lowercase letters, digits and -, and begin and end with a letter or digit",
  },
  {
    mistake: "a name that is too long",
    document: slo("name: search", `name: ${"search-".repeat(10)}x`),
    answer:
      "given.yaml (SLO search-search-search-search-search-search-search-search-search-search-x): metadata.name: must have at most 63 characters",
  },
  {
    mistake: "a name that YAML reads as a number",
    document: slo("name: search", "name: 42"),
    answer: "given.yaml: metadata.name: must be a string: put it in quotes",
  },
  {
    mistake: "a document of OpenSLO",
    document: slo("tocsin/v1alpha", "openslo/v1"),
    answer:
      "given.yaml (SLO search): apiVersion: must be tocsin/v1alpha; `tocsin convert` converts documents of OpenSLO, Sloth and Pyrra",
  },
  {
    mistake: "no apiVersion",
    document: slo("apiVersion: tocsin/v1alpha\n", ""),
    answer: "given.yaml (SLO search): apiVersion: is required and must be tocsin/v1alpha",
  },
  {
    mistake: "an unknown kind",
    document: slo("kind: SLO", "kind: SLOs"),
    answer:
      "given.yaml (SLOs search): kind: must be one of Project, Service, SLO, AlertPolicy, AlertMethod, AlertSilence, DataSource, BudgetAdjustment, Report, SavedView, Agent, Direct; did you mean SLO?",
  },
  {
    mistake: "a misspelled property",
    document: slo("objectives:", "objectivs:"),
    answer: [
      "given.yaml (SLO search): spec.objectives: is required",
      "given.yaml (SLO search): spec.objectivs: is not a property of this object; did you mean objectives?",
    ],
  },
  {
    mistake: "several mistakes at once",
    document: slo("0.99", "99").replace("28", "0").replace("name: search", "name: Search"),
    answer: [
      "given.yaml (SLO Search): metadata.name: must consist of lowercase letters, digits and -, and begin and end with a letter or digit",
      "given.yaml (SLO Search): spec.objectives[0].target: must be at least 0 and less than 1; it is a share, so write 99% as 0.99",
      "given.yaml (SLO Search): spec.timeWindows[0].count: must be an integer of at least 1",
    ],
  },
  {
    mistake: "a threshold metric without a value",
    document: slo(
      "target: 0.99",
      "target: 0.99, op: lt, rawMetric: { query: { prometheus: { promql: latency } } }",
    ).replace("  service: web", "  service: web\n  indicator: { metricSource: { name: prometheus } }"),
    answer: "given.yaml (SLO search): spec.objectives[0].value: is required, as rawMetric is given",
  },
  {
    mistake: "a query that is not PromQL",
    document: slo(
      "  service: web",
      '  service: web\n  indicator: { prometheus: { url: "https://prometheus.example.com", good: "sum(rate(ok[5m])", total: "sum(rate(all[5m]))" } }',
    ),
    answer:
      'given.yaml (SLO search): spec.indicator.prometheus.good: is not valid PromQL at line 1, column 17: a ")" is missing',
  },
  {
    mistake: "a service that does not exist",
    document: slo("service: web", "service: wbe"),
    answer:
      "given.yaml (SLO search): spec.service: references a Service that does not exist: wbe in project default; did you mean web?",
  },
  {
    mistake: "a project that does not exist",
    document: slo("name: search", "name: search, project: defualt"),
    answer:
      "given.yaml (SLO search): metadata.project: references a project that does not exist: defualt; did you mean default?",
  },
  {
    mistake: "an alert policy that does not exist",
    document: slo("  service: web", "  service: web\n  alertPolicies: [fast-brun]"),
    answer:
      "given.yaml (SLO search): spec.alertPolicies[0]: references an AlertPolicy that does not exist: fast-brun in project default; did you mean fast-burn?",
  },
  {
    mistake: "an alert method that does not exist",
    document: policy("on-call", "oncall"),
    answer:
      "given.yaml (AlertPolicy slow-burn): spec.alertMethods[0].metadata.name: references an AlertMethod that does not exist: oncall in project default; did you mean on-call?",
  },
  {
    mistake: "a severity of another product",
    document: policy("High", "critical"),
    answer: "given.yaml (AlertPolicy slow-burn): spec.severity: must be one of Low, Medium, High",
  },
  {
    mistake: "a measurement that does not exist",
    document: policy("averageBurnRate", "burnRate"),
    answer:
      "given.yaml (AlertPolicy slow-burn): spec.conditions[0].measurement: must be one of averageBurnRate, burnedBudget, timeToBurnBudget, timeToBurnEntireBudget, budgetDrop",
  },
  {
    mistake: "a duration in words",
    document: policy("1h", "1 hour"),
    answer:
      "given.yaml (AlertPolicy slow-burn): spec.conditions[0].alertingWindow: must be a duration such as 90s, 5m or 1h30m",
  },
  {
    mistake: "a duration in days",
    document: policy("1h", "3d"),
    answer:
      "given.yaml (AlertPolicy slow-burn): spec.conditions[0].alertingWindow: must be a duration such as 90s, 5m or 1h30m; there is no unit for days: write 72h",
  },
  {
    mistake: "a private address",
    document: method("https://hooks.example.com/chat", "https://10.0.0.7/chat"),
    answer:
      "given.yaml (AlertMethod chat): spec.webhook.url: must not point to a non-public address (loopback, private, link-local, …); an operator can allow it with TOCSIN_EGRESS_ALLOW_CIDRS",
  },
  {
    mistake: "a webhook over http",
    document: method("https:", "http:"),
    answer: "given.yaml (AlertMethod chat): spec.webhook.url: must start with https://",
  },
  {
    mistake: "a password in a URL",
    document: method("https://", "https://me:secret@"),
    answer:
      "given.yaml (AlertMethod chat): spec.webhook.url: must not contain a user name or password; send them in a custom header",
  },
  {
    mistake: "a header that the service sends",
    document: method(
      "    templateFields",
      "    headers: [{ name: Content-Type, value: text/plain }]\n    templateFields",
    ),
    answer:
      "given.yaml (AlertMethod chat): spec.webhook.headers[0].name: is a header that Tocsin sets; choose another name",
  },
  {
    mistake: "headers as a map",
    document: method("    templateFields", "    headers: { X-Key: a }\n    templateFields"),
    answer:
      "given.yaml (AlertMethod chat): spec.webhook.headers: must be a list, such as [{ name: X-Team, value: payments }]",
  },
  {
    mistake: "an unknown template field",
    document: method("slo_name", "slo"),
    answer:
      'given.yaml (AlertMethod chat): spec.webhook.templateFields[0]: There is no template field "slo". The fields are organization, project_name, service_name, service_labels_text, slo_name, slo_display_name, slo_labels_text, slo_details_link, objective_name, objective_display_name, experience_name, alert_policy_name, alert_policy_description, alert_policy_labels_text, alert_policy_conditions[], alert_policy_conditions_text, severity, alert_id, acknowledge_link, alert_status, notification_id, timestamp, iso_timestamp, no_data_alert_after, anomaly_type, budget_exhausted_at, silence_name, silence_ends_at.',
  },
  {
    mistake: "an unknown variable in a template",
    document: method("templateFields: [slo_name]", `template: '{"text": "$slo_nam"}'`),
    answer:
      "given.yaml (AlertMethod chat): spec.webhook.template: line 1, column 11: There is no variable $slo_nam. Did you mean $slo_name?",
  },
  {
    mistake: "a variable as in templates of Go",
    document: method("templateFields: [slo_name]", `template: '{"text": "{{ .SLO }}"}'`),
    answer: [
      "Warning: given.yaml (AlertMethod chat): spec.webhook.template: contains placeholders of another tool, which are sent as they are: {{ .SLO }} (write $slo_name). Variables are written as $slo_name",
      '{"text": "$slo_name"}',
    ],
  },
  {
    mistake: "a template that is not JSON",
    document: method("templateFields: [slo_name]", "template: SLO $slo_name is burning"),
    answer: [
      'given.yaml (AlertMethod chat): spec.webhook.template: line 1, column 1: "SLO" is not a valid JSON value. Only true, false, null and numbers have no quotes; put strings in double quotes.',
      'given.yaml (AlertMethod chat): spec.webhook.template: line 1, column 5: Expected the end of the template, found "$". Variable names have only lowercase letters and underscores, as in $slo_name.',
    ],
  },
  {
    mistake: "a silence without an end",
    document: silence(", duration: 2h", ""),
    answer: "given.yaml (AlertSilence release): spec.period: must have endTime or duration",
  },
  {
    mistake: "a silence that ends before it starts",
    document: silence("duration: 2h", "endTime: 2026-01-30T19:00:00Z"),
    answer: "given.yaml (AlertSilence release): spec.period.endTime: must be after startTime",
  },
  {
    mistake: "a time without a time zone",
    document: silence("2026-01-30T20:00:00Z", "2026-01-30 20:00"),
    answer:
      "given.yaml (AlertSilence release): spec.period.startTime: must be a date-time such as 2026-01-30T12:00:00Z",
  },
  {
    mistake: "a recurrence as cron",
    document: silence("  period:", '  recurrence: "0 2 * * 6"\n  period:'),
    answer: [
      "given.yaml (AlertSilence release): spec: must have either period or recurrence, not both",
      "given.yaml (AlertSilence release): spec.recurrence: must be an object; write { startTime: 2026-01-31 02:00:00, timeZone: Europe/Paris, rrule: FREQ=WEEKLY;BYDAY=SA, duration: 2h }",
    ],
  },
  {
    mistake: "a recurrence that is not a rule",
    document: silence("  period:", "  recurrence: { rrule: FREQ=WEEKLEY;BYDAY=SA }\n  period:"),
    answer: [
      "given.yaml (AlertSilence release): spec: must have either period or recurrence, not both",
      "given.yaml (AlertSilence release): spec.recurrence.duration: is required",
      "given.yaml (AlertSilence release): spec.recurrence.rrule: FREQ must be one of DAILY, WEEKLY, MONTHLY, YEARLY",
      "given.yaml (AlertSilence release): spec.recurrence.startTime: is required",
      "given.yaml (AlertSilence release): spec.recurrence.timeZone: is required",
    ],
  },
  {
    mistake: "a silence of an SLO that does not exist",
    document: silence("checkout", "chekout"),
    answer:
      "given.yaml (AlertSilence release): spec.slo: references an SLO that does not exist: chekout in project default; did you mean checkout?",
  },
  {
    mistake: "a silence of an alert policy that does not exist",
    document: silence("  period:", "  alertPolicy: { name: fast-brun }\n  period:"),
    answer:
      "given.yaml (AlertSilence release): spec.alertPolicy.name: references an AlertPolicy that does not exist: fast-brun in project default; did you mean fast-burn?",
  },
  {
    mistake: "the same object twice in a file",
    document: `${slo("", "")}---\n${slo("0.99", "0.9")}`,
    answer:
      "given.yaml, document 2 (SLO search): metadata.name: is duplicated: an earlier definition of this request describes the same SLO; remove one of them",
  },
  {
    mistake: "the same key twice in an object",
    document: slo("  service: web", "  service: web\n  service: shop"),
    answer: "given.yaml: line 6, column 3: the key is duplicated in its map; remove one of the two",
  },
  {
    mistake: "a tab in YAML",
    document: slo("  service: web", "\tservice: web"),
    answer: "given.yaml: line 5, column 1: tabs are not allowed as indentation; use spaces",
  },
  {
    mistake: "a bracket that is not closed",
    document: slo("target: 0.99 }]", "target: 0.99 }"),
    answer:
      "given.yaml: line 9, column 1: wrong indentation, or an earlier bracket, brace or quote is not closed",
  },
  {
    mistake: "a property with the wrong indentation",
    document: slo("  service: web", "   service: web"),
    answer:
      "given.yaml: line 6, column 3: wrong indentation, or a string with a colon that must be in quotes",
  },
  {
    mistake: "an empty file",
    document: "",
    answer: "given.yaml: has no definitions; a definition begins with apiVersion and kind",
  },
  {
    mistake: "a text in place of an object",
    document: "checkout\n",
    answer: "given.yaml: must be an object such as { apiVersion: …, kind: … }",
  },
  {
    mistake: "a Helm template that was not rendered",
    document: slo("0.99", "{{ .Values.target }}"),
    answer:
      "given.yaml: line 8, column 39: keys must be strings; put this one in quotes, and fill in templates such as {{ name }} first",
  },
]

/** Commands that fail. */
export const commandMistakes: ReadonlyArray<CommandMistake> = [
  {
    mistake: "a command that does not exist",
    command: "aply -f slo.yaml",
    answer: ["error: unknown command 'aply'", "(Did you mean apply?)"],
  },
  {
    mistake: "a subcommand that does not exist",
    command: "alert ack 1",
    answer: [
      "error: unknown command 'ack'",
      "The subcommands are acknowledge, evidence, held, explain. `tocsin get alerts` lists alerts. Run the command with --help for usage.",
    ],
  },
  {
    mistake: "a misspelled flag",
    command: "apply --flie slo.yaml",
    answer: "error: unknown option '--flie'; did you mean --file?",
  },
  {
    mistake: "a flag without a value",
    command: "apply -f",
    answer: "error: option '-f, --file <file...>' argument missing",
  },
  {
    mistake: "a file without -f",
    command: "apply slo.yaml",
    answer: "error: required option '-f, --file <file...>' not specified; did you mean -f slo.yaml?",
  },
  {
    mistake: "a missing argument",
    command: "describe slo",
    answer: "error: missing required argument 'name'",
  },
  {
    mistake: "an output format that does not exist",
    command: "get slos -o yml",
    answer:
      "error: option '-o, --output <format>' argument 'yml' is invalid. Allowed choices are table, wide, name, yaml, json, csv.",
  },
  {
    mistake: "a file that does not exist",
    command: "apply -f slos.yaml",
    answer: "slos.yaml: no such file or directory; relative paths start at the current directory",
  },
  {
    mistake: "a pattern that matches nothing",
    command: "apply -f *.yml",
    answer: "*.yml: matches no file; check the pattern",
  },
  {
    mistake: "a directory without definitions",
    command: "apply -f .",
    files: { "readme.txt": "" },
    answer: ".: has no .yaml, .yml or .json file; add -R to read its subdirectories",
  },
  {
    mistake: "a file of JSON that is YAML",
    command: "apply -f slo.json",
    files: { "slo.json": slo("", "") },
    answer: "slo.json: line 1, column 1: invalid JSON: expected a value; if it is YAML, name the file .yaml",
  },
  {
    mistake: "a file of JSON with a comma too many",
    command: "apply -f slo.json",
    files: { "slo.json": '{"kind": "SLO",}' },
    answer: "slo.json: line 1, column 16: invalid JSON: expected a key in double quotes after the comma",
  },
  {
    mistake: "no credential",
    command: "get slos",
    environment: { TOCSIN_CLIENT_ID: "", TOCSIN_CLIENT_SECRET: "", TOCSIN_ORGANIZATION: "" },
    answer: [
      "TOCSIN_ORGANIZATION (or --organization) is required",
      "TOCSIN_CLIENT_ID is required; sign in with `tocsin login`, or create a credential with `tocsin credentials create`",
      "TOCSIN_CLIENT_SECRET is required; sign in with `tocsin login`, or create a credential with `tocsin credentials create`",
    ],
  },
  {
    mistake: "a wrong secret",
    command: "get slos",
    environment: { TOCSIN_CLIENT_SECRET: "wrong" },
    answer:
      "Invalid client ID or secret (The organization has no credential with this client ID and secret, or the credential is disabled. Check all three; an admin can create another credential.)",
  },
  {
    mistake: "another organization",
    command: "get slos",
    environment: { TOCSIN_ORGANIZATION: "globex" },
    answer:
      "Invalid client ID or secret (The organization has no credential with this client ID and secret, or the credential is disabled. Check all three; an admin can create another credential.)",
  },
  {
    mistake: "an apply by a viewer",
    command: "apply -f slo.yaml",
    files: { "slo.yaml": slo("", "") },
    environment: { TOCSIN_CLIENT_ID: "viewer" },
    answer:
      "Insufficient permissions (This operation requires the editor role; the credential has the viewer role. Use another credential, or ask an admin to create one.)",
  },
  {
    mistake: "a URL without a scheme",
    command: "get slos",
    environment: { TOCSIN_URL: "tocsin.example.com" },
    answer:
      'TOCSIN_URL (or --url) must be a URL such as https://tocsin.example.com, but is "tocsin.example.com"',
  },
  {
    mistake: "the URL of the API",
    command: "get slos --url {url}/api",
    answer: "TOCSIN_URL (or --url) must be the URL of the server, without the path /api",
  },
  {
    mistake: "a secret over http",
    command: "get slos",
    environment: { TOCSIN_URL: "http://tocsin.example.com" },
    answer: "TOCSIN_URL (or --url) must start with https://, because secrets are sent to tocsin.example.com",
  },
  {
    mistake: "a server that does not run",
    command: "get slos",
    environment: { TOCSIN_URL: "{closed}" },
    answer: "cannot connect to {closed}; check that the server is running and that TOCSIN_URL is correct",
  },
  {
    mistake: "a server that is not Tocsin",
    command: "get slos",
    environment: { TOCSIN_URL: "{other}" },
    answer: "unexpected response; check that TOCSIN_URL is a Tocsin server of the same version",
  },
  {
    mistake: "a certificate that is not trusted",
    command: "get slos",
    environment: { TOCSIN_URL: "https://{tls}" },
    answer:
      "cannot connect to https://{tls}: the certificate of the server is not trusted (SELF_SIGNED_CERT_IN_CHAIN); set NODE_EXTRA_CA_CERTS to the file of its certificate authority",
  },
  {
    mistake: "http for a port with TLS",
    command: "get slos",
    environment: { TOCSIN_URL: "http://{tls}" },
    answer:
      "cannot connect to http://{tls}: the connection was closed before the response; if the server uses TLS, write https:// in TOCSIN_URL",
  },
  {
    mistake: "https for a port without TLS",
    command: "get slos",
    environment: { TOCSIN_URL: "https://{host}" },
    answer:
      "cannot connect to https://{host}: the server does not use TLS; write http:// in TOCSIN_URL, or check the port",
  },
  {
    mistake: "a context that does not exist",
    command: "get slos",
    environment: { TOCSIN_CONTEXT: "stagin", TOCSIN_CONFIG: "config.yaml" },
    files: { "config.yaml": "contexts: [{ name: staging }]" },
    answer: "context not found: stagin; did you mean staging?",
  },
  {
    mistake: "a context file that cannot be read",
    command: "get slos",
    environment: { TOCSIN_CONTEXT: "staging", TOCSIN_CONFIG: "." },
    answer:
      "cannot read the context file . (EISDIR); check its permissions, or set TOCSIN_CONFIG to another file",
  },
  {
    mistake: "a kind that does not exist",
    command: "get sols",
    answer:
      "Unknown kind: sols (Did you mean slos? Kinds are Project, Service, SLO, AlertPolicy, AlertMethod, AlertSilence, DataSource, BudgetAdjustment, Report, SavedView, Agent, Direct, Annotation and Alert, which is read-only.)",
  },
  {
    mistake: "a project without objects",
    command: "get datasources",
    answer: "No objects found in the project. Use -A for all projects.",
  },
  {
    mistake: "a project that does not exist",
    command: "get slos -p defualt",
    answer: "Project not found: defualt; did you mean default?",
  },
  {
    mistake: "an SLO that does not exist",
    command: "describe slo chekout",
    answer: "SLO not found in project default: chekout; did you mean checkout?",
  },
  {
    mistake: "the deletion of a service that has SLOs",
    command: "delete service web",
    answer:
      "name: the Service web of project default is in use by the SLO checkout of project default; delete what refers to it first, or in the same request",
  },
  {
    mistake: "the deletion of an alert method that is used",
    command: "delete alertmethod on-call",
    answer:
      "name: the AlertMethod on-call of project default is in use by the AlertPolicy fast-burn of project default; delete what refers to it first, or in the same request",
  },
  {
    mistake: "the deletion of something that does not exist",
    command: "delete slo chekout",
    answer: "name: the SLO chekout of project default does not exist (specify the project with -p)",
  },
  {
    mistake: "a silence in days",
    command: "silence create checkout --for 2d",
    answer:
      "error: option '--for <duration>' argument '2d' is invalid. There is no unit for days: write 48h.",
  },
  {
    mistake: "a silence without a unit",
    command: "silence create checkout --for 2",
    answer: "error: option '--for <duration>' argument '2' is invalid. It needs a unit, such as 2h.",
  },
  {
    mistake: "a silence of an alert policy that does not exist",
    command: "silence create checkout --for 2h --alert-policy fast",
    answer:
      "--alert-policy: references an AlertPolicy that does not exist: fast in project default; apply its definition first, or in the same request, or use one that exists: fast-burn",
  },
  {
    mistake: "a silence until yesterday",
    command: "silence create checkout --until 2026-01-01T00:00:00Z",
    answer: "--until: must be in the future, but is 2026-01-01T00:00:00Z",
  },
  {
    mistake: "an acknowledgement of a resolved alert",
    command: "alert acknowledge resolved-1",
    answer:
      "Alert is not open (The alert is resolved. Only an open alert can be acknowledged. GET /api/get/alert?status=triggered with the header Project: * lists open alerts (tocsin get alerts -A --status triggered).)",
  },
  {
    mistake: "a backfill without an end",
    command: "backfill checkout --from 2026-01-01T00:00:00Z",
    answer: "specify both --from and --to",
  },
  {
    mistake: "a backfill of an SLO without a data source",
    command: "backfill checkout --from 2026-01-01T00:00:00Z --to 2026-01-02T00:00:00Z",
    answer:
      "Indicator not found: checkout (The SLO in the project default has no indicator: its counts are recorded over the API. Add spec.indicator to read them from a data source.)",
  },
  {
    mistake: "a range that ends before it starts",
    command: "slo series checkout --from 2026-01-02T00:00:00Z --to 2026-01-01T00:00:00Z",
    answer: "--from: Invalid parameter (--from must be before to)",
  },
  {
    mistake: "a date without a time",
    command: "slo series checkout --from 2026-01-02 --to 2026-01-03",
    answer:
      "--from: Invalid parameter (--from must be a date-time of RFC 3339 in UTC, such as 2026-01-30T12:00:00Z)",
  },
  {
    mistake: "a report of a period that ends before it starts",
    command: "report create checkout --from 2026-01-02T00:00:00Z --to 2026-01-01T00:00:00Z",
    answer: "--to: Invalid request for a report (must be after from)",
  },
  {
    mistake: "a saved report that does not exist",
    command: "report generate weekly",
    answer:
      "Report not found: weekly (No Report has this name. GET /api/get/report lists Reports (tocsin get reports).)",
  },
  {
    mistake: "a test of an alert method that does not exist",
    command: "alertmethod test oncall",
    answer:
      "Alert method not found: oncall (The project default has no alert method with this name. Check the name, and the project: the Project header, or -p of the command line.)",
  },
  {
    mistake: "a misspelled column of counts",
    command: "import -f counts.csv",
    files: { "counts.csv": "slo,objective,at,goood,total\n" },
    answer: "counts.csv, header: column 4 has an unknown name; did you mean good?",
  },
  {
    mistake: "a number of counts that is text",
    command: "import -f counts.csv --slo checkout --objective good",
    files: { "counts.csv": "at,good,total\n2026-01-01T00:00:00Z,many,10\n" },
    answer: "counts.csv, line 2: good must be a number",
  },
  {
    mistake: "more good than total counts",
    command: "import -f counts.csv --slo checkout --objective good",
    files: { "counts.csv": "at,good,total\n2026-01-01T00:00:00Z,11,10\n" },
    answer: "counts.csv, line 2: good: Invalid counts (must be at most total)",
  },
  {
    mistake: "a credential without a master key",
    command: "credentials sign-in-link me",
    environment: { TOCSIN_CLIENT_ID: "", TOCSIN_CLIENT_SECRET: "" },
    answer:
      "TOCSIN_MASTER_KEY is required for commands of the operator; set it to the master key of the server, or TOCSIN_DATA_DIR to the server's data directory",
  },
  {
    mistake: "a master key of another server",
    command: "credentials list",
    environment: {
      TOCSIN_CLIENT_ID: "",
      TOCSIN_CLIENT_SECRET: "",
      TOCSIN_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
    },
    answer:
      "the server at {url} rejected the master key; use the TOCSIN_MASTER_KEY or TOCSIN_DATA_DIR of the server, or set TOCSIN_URL if another server listens there, and check that both clocks are correct",
  },
  {
    mistake: "a master key that is too short",
    command: "credentials list",
    environment: { TOCSIN_CLIENT_ID: "", TOCSIN_CLIENT_SECRET: "", TOCSIN_MASTER_KEY: "c2VjcmV0" },
    answer:
      "TOCSIN_MASTER_KEY must be 32 random bytes in base64: for a new database, generate them with `openssl rand -base64 32`; for an existing one, use its master key",
  },
  {
    mistake: "a port that is not one",
    command: "serve",
    environment: { PORT: "80800" },
    answer: 'PORT must be an integer from 0 to 65535, but is "80800"',
  },
  {
    mistake: "a port that is used",
    command: "serve",
    environment: {
      PORT: "{port}",
      TOCSIN_STORE: "memory",
      TOCSIN_MASTER_KEY: Buffer.alloc(32, 9).toString("base64"),
    },
    answer: "port {port} of 127.0.0.1 is already in use; set PORT to another port",
  },
  {
    mistake: "a misspelled variable",
    command: "serve",
    environment: { TOCSIN_LOGLEVEL: "debug" },
    answer: "TOCSIN_LOGLEVEL is not a known variable; did you mean TOCSIN_LOG_LEVEL?",
  },
  {
    mistake: "a variable with a value that does not exist",
    command: "serve",
    environment: { TOCSIN_LOG_LEVEL: "verbose" },
    answer: 'TOCSIN_LOG_LEVEL must be debug, info, warning, error or none, but is "verbose"',
  },
  {
    mistake: "a certificate without its key",
    command: "serve",
    environment: { TOCSIN_TLS_CERT_FILE: "cert.pem" },
    answer: "TOCSIN_TLS_KEY_FILE is required if TOCSIN_TLS_CERT_FILE is set",
  },
  {
    mistake: "a database URL of another product",
    command: "serve",
    environment: { DATABASE_URL: "mysql://localhost/tocsin" },
    answer: [
      "DATABASE_URL must be a URL such as postgres://user:password@host:5432/tocsin",
      "TOCSIN_MASTER_KEY is required and must be 32 random bytes in base64: for a new database, generate them with `openssl rand -base64 32`; for an existing one, use its master key",
    ],
  },
  {
    mistake: "a help topic that does not exist",
    command: "help enviroment",
    answer: "no command, topic or error code: enviroment; did you mean environment?",
  },
  {
    mistake: "a shell without completions",
    command: "completion tcsh",
    answer:
      "error: command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
  },
  {
    mistake: "a conversion of a document that is not of another product",
    command: "convert -f slo.yaml",
    files: { "slo.yaml": slo("", "") },
    answer: [
      "slo.yaml, document 1 (SLO search): is already a definition (SLO, tocsin/v1alpha); apply it as it is; the formats are OpenSLO (openslo/v1, openslo/v1alpha), Sloth (prometheus/v1, PrometheusServiceLevel) and Pyrra (ServiceLevelObjective), and the rules that Sloth and Pyrra generate",
      "some documents were not converted; see the messages above",
    ],
  },
  {
    mistake: "a sign-in without a terminal",
    command: "login",
    environment: { TOCSIN_CLIENT_ID: "", TOCSIN_CLIENT_SECRET: "", TOCSIN_ORGANIZATION: "" },
    answer: [
      "TOCSIN_ORGANIZATION (or --organization) is required",
      "TOCSIN_CLIENT_ID is required; specify --client-id, and --client-secret-stdin with the secret on stdin",
      "TOCSIN_CLIENT_SECRET is required; specify --client-id, and --client-secret-stdin with the secret on stdin",
    ],
  },
]

const counts = (entry: string): string => `[${entry}]`

/** Requests that are rejected. */
export const requestMistakes: ReadonlyArray<RequestMistake> = [
  {
    mistake: "a path without its version",
    request: "GET /api/slos",
    answer: "404 Not found (There is no such path; did you mean /api/v2/slos?)",
  },
  {
    mistake: "a misspelled path",
    request: "GET /api/v2/slo",
    answer: "404 Not found (There is no such path; did you mean /api/v2/slos?)",
  },
  {
    mistake: "a path without /api",
    request: "GET /v2/slos",
    answer: "404 Not found (There is no such path; did you mean /api/v2/slos?)",
  },
  {
    mistake: "a path that does not exist",
    request: "GET /api/everything",
    answer: "404 Not found (There is no such path. All paths are in /openapi.json.)",
  },
  {
    mistake: "a method that the path does not support",
    request: "POST /api/apply",
    body: "[]",
    answer: "405 Method not allowed (This path supports the methods PUT.)",
  },
  {
    mistake: "no organization",
    request: "POST /api/accessToken",
    headers: { organization: "", authorization: `Basic ${btoa("me:secret")}` },
    answer:
      "400 Organization: Missing Organization header (Send the ID of the organization of the credential, such as Organization: acme. It has 1 to 253 visible ASCII characters, without spaces.)",
  },
  {
    mistake: "no token",
    request: "GET /api/v2/slos",
    headers: { authorization: "" },
    answer:
      "401 Missing access token (Get an access token from POST /api/accessToken and send it as Authorization: Bearer.)",
  },
  {
    mistake: "a token that is not one",
    request: "GET /api/v2/slos",
    headers: { authorization: "Bearer token" },
    answer: "401 Invalid access token (Get a new access token from POST /api/accessToken.)",
  },
  {
    mistake: "client ID and secret in place of a token",
    request: "GET /api/v2/slos",
    headers: { authorization: `Basic ${btoa("me:secret")}` },
    answer:
      "401 Missing access token (Get an access token from POST /api/accessToken and send it as Authorization: Bearer.)",
  },
  {
    mistake: "a token of another organization",
    request: "GET /api/v2/slos",
    headers: { organization: "globex" },
    answer:
      "403 Organization: Organization mismatch (The access token or session belongs to a different organization. Send its ID in the Organization header.)",
  },
  {
    mistake: "a wrong secret",
    request: "POST /api/accessToken",
    headers: { authorization: `Basic ${btoa("me:secret")}` },
    answer:
      "401 Invalid client ID or secret (The organization has no credential with this client ID and secret, or the credential is disabled. Check all three; an admin can create another credential.)",
  },
  {
    mistake: "no client ID and secret",
    request: "POST /api/accessToken",
    headers: { authorization: "" },
    answer: "401 Missing credentials (Send Authorization: Basic with clientId:clientSecret in base64.)",
  },
  {
    mistake: "a later version of the API",
    request: "GET /api/v2/slos",
    headers: { accept: "application/json; version=v2" },
    answer: "406 Accept: Unsupported version (Send Accept: application/json; version=v1alpha.)",
  },
  {
    mistake: "a project that does not exist",
    request: "GET /api/v2/slos/checkout",
    headers: { project: "shop" },
    answer:
      "404 sloName: SLO not found (The project shop has no SLO with this name. Check the name, and the project: the Project header, or -p of the command line.)",
  },
  {
    mistake: "an SLO that does not exist",
    request: "GET /api/v2/slos/chekout",
    answer:
      "404 sloName: SLO not found (The project default has no SLO with this name. Check the name, and the project: the Project header, or -p of the command line.)",
  },
  {
    mistake: "a parameter that does not exist",
    request: "GET /api/deliveries?limt=5",
    answer: "400 limt: Invalid parameter (is not a query parameter of this request; did you mean limit?)",
  },
  {
    mistake: "a cursor that is not one",
    request: "GET /api/deliveries?cursor=2",
    answer:
      "400 cursor: Invalid cursor (Use links.next of a page of this list unchanged, or omit the cursor to start over.)",
  },
  {
    mistake: "a range that ends before it starts",
    request: "GET /api/slos/checkout/series?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
    answer: "400 from: Invalid parameter (from must be before to)",
  },
  {
    mistake: "a time without a time zone",
    request: "GET /api/slos/checkout/series?from=2026-01-02T00:00:00&to=2026-01-03T00:00:00",
    answer:
      "400 from: Invalid parameter (from must be a date-time of RFC 3339 in UTC, such as 2026-01-30T12:00:00Z)",
  },
  {
    mistake: "a kind that does not exist",
    request: "GET /api/get/slo-s",
    answer:
      "404 kind: Unknown kind (Did you mean slos? Kinds are Project, Service, SLO, AlertPolicy, AlertMethod, AlertSilence, DataSource, BudgetAdjustment, Report, SavedView, Agent, Direct, Annotation and Alert, which is read-only.)",
  },
  {
    mistake: "a body of a form",
    request: "PUT /api/apply",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "a=b",
    answer:
      "415 Content-Type: Unsupported media type (Send application/json or application/yaml or application/x-yaml or text/yaml in UTF-8.)",
  },
  {
    mistake: "a body that is not JSON",
    request: "PUT /api/apply",
    body: "[{'kind': 'SLO'}]",
    answer: "400 line 1, column 3: invalid JSON: expected a key in double quotes or }",
  },
  {
    mistake: "a key twice in JSON",
    request: "PUT /api/apply",
    body: '{"kind":"SLO","kind":"SLO"}',
    answer: "400 kind: must be unique: the key is duplicated in this object",
  },
  {
    mistake: "no body",
    request: "PUT /api/apply",
    answer: "400 line 1, column 1: invalid JSON: the text is empty",
  },
  {
    mistake: "a body that is too large",
    request: "PUT /api/apply",
    body: `["${"x".repeat(1_048_576)}"]`,
    answer:
      "413 Request body too large (The body must be at most 1048576 bytes. Shorten it, or divide its entries over several requests.)",
  },
  {
    mistake: "counts of an SLO that does not exist",
    request: "POST /api/slos/chekout/counts",
    body: counts('{"objective":"good","at":"{now}","good":1,"total":1}'),
    answer:
      "404 sloName: SLO not found (The project default has no SLO with this name. Check the name, and the project: the Project header, or -p of the command line.)",
  },
  {
    mistake: "counts of an objective that does not exist",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"goood","at":"{now}","good":1,"total":1}'),
    answer: "400 [0].objective: Invalid counts (must be the name of an objective of the SLO: good)",
  },
  {
    mistake: "counts of tomorrow",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"2999-01-01T00:00:00Z","good":1,"total":1}'),
    answer: "400 [0].at: Invalid counts (must be at most 5 minutes in the future)",
  },
  {
    mistake: "counts within a minute",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"2026-11-01T00:00:30Z","good":1,"total":1}'),
    answer: "400 [0].at: Invalid counts (must be the start of a minute in UTC, such as 2026-01-30T12:00:00Z)",
  },
  {
    mistake: "counts at a time without a time zone",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"2026-11-01 00:00","good":1,"total":1}'),
    answer: "400 [0].at: Invalid counts (must be the start of a minute in UTC, such as 2026-01-30T12:00:00Z)",
  },
  {
    mistake: "more good than total events",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"{now}","good":2,"total":1}'),
    answer: "400 [0].good: Invalid counts (must be at most total)",
  },
  {
    mistake: "a negative number of events",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"{now}","good":-1,"total":1}'),
    answer: "400 [0].good: Invalid counts (must be at least 0 and at most 9007199254740991)",
  },
  {
    mistake: "a number of events that is NaN",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"{now}","good":"NaN","total":1}'),
    answer: "400 [0].good: Invalid counts (must be a number)",
  },
  {
    mistake: "NaN in JSON",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"{now}","good":NaN,"total":1}'),
    answer: "400 Request body is not valid JSON (Line 1, column 57: expected a value.)",
  },
  {
    mistake: "counts without a total",
    request: "POST /api/slos/checkout/counts",
    body: counts('{"objective":"good","at":"{now}","good":1}'),
    answer: "400 [0].total: Invalid counts (is required, unless both good and bad are specified)",
  },
  {
    mistake: "counts that are not a list",
    request: "POST /api/slos/checkout/counts",
    body: '{"objective":"good","at":"{now}","good":1,"total":1}',
    answer: "400 Invalid counts (must be a list: put a single value in brackets, as in [a])",
  },
  {
    mistake: "an alert with a status of another product",
    request: "POST /api/alerts",
    body: '{"status":"firing","slo":{"name":"checkout","project":"default"},"alertMethods":[]}',
    answer: "400 status: Invalid alert (must be one of triggered, resolved)",
  },
  {
    mistake: "an alert for an alert method that does not exist",
    request: "POST /api/alerts",
    body: '{"status":"triggered","slo":{"name":"checkout","project":"default"},"alertMethods":[{"name":"oncall","project":"default"}]}',
    answer:
      "400 alertMethods[0]: Invalid alert (must name an alert method that exists; check the name and the project)",
  },
]
