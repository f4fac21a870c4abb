import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { root } from "../deploy/Files.ts"
import { folder, goModule, goTool, run } from "./Tools.ts"

const chart = join(root, "deploy/helm/tocsin")
const schemas = join(folder, "schemas")
const kubernetesVersion = "1.34.2"

let helm: string
let kubeconform: string

beforeAll(async () => {
  ;[helm, kubeconform] = [
    await goTool("helm.sh/helm/v3/cmd/helm", "v3.22.0"),
    await goTool("github.com/yannh/kubeconform/cmd/kubeconform", "v0.8.0"),
  ]
  mkdirSync(schemas)
  writeKubernetesSchemas(await goModule("k8s.io/kubernetes", `v${kubernetesVersion}`))
  const operator = await goModule("github.com/prometheus-operator/prometheus-operator", "v0.85.0")
  writeOperatorSchema("Probe", operator)
  writeOperatorSchema("ServiceMonitor", operator)
}, 900_000)

interface Schema {
  additionalProperties?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** Where kubeconform looks up the schema of a kind; `suffix` is `-group-version`, or `-version` of the core group. */
const writeSchema = (kind: string, suffix: string, schema: object): void =>
  writeFileSync(join(schemas, `${kind.toLowerCase()}${suffix}.json`), JSON.stringify(schema))

/** The schemas of Kubernetes' own API description, without properties that it does not know. */
const writeKubernetesSchemas = (directory: string): void => {
  const { definitions } = JSON.parse(
    readFileSync(join(directory, "api/openapi-spec/swagger.json"), "utf8"),
  ) as { readonly definitions: Record<string, Schema> }
  for (const schema of Object.values(definitions))
    if (schema.properties !== undefined) schema.additionalProperties ??= false
  // Of which the API description says only that they are strings.
  Object.assign(definitions, {
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: ["string", "integer"] },
    "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: ["string", "number"] },
  })
  const kinds = {
    Deployment: ["-apps-v1", "io.k8s.api.apps.v1.Deployment"],
    HorizontalPodAutoscaler: ["-autoscaling-v2", "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler"],
    Ingress: ["-networking-v1", "io.k8s.api.networking.v1.Ingress"],
    NetworkPolicy: ["-networking-v1", "io.k8s.api.networking.v1.NetworkPolicy"],
    Pod: ["-v1", "io.k8s.api.core.v1.Pod"],
    PodDisruptionBudget: ["-policy-v1", "io.k8s.api.policy.v1.PodDisruptionBudget"],
    Secret: ["-v1", "io.k8s.api.core.v1.Secret"],
    Service: ["-v1", "io.k8s.api.core.v1.Service"],
    ServiceAccount: ["-v1", "io.k8s.api.core.v1.ServiceAccount"],
  } as const
  for (const [kind, [suffix, name]] of Object.entries(kinds))
    writeSchema(kind, suffix, { $ref: `#/definitions/${name}`, definitions })
}

const writeOperatorSchema = (kind: string, directory: string): void => {
  const file = join(
    directory,
    `example/prometheus-operator-crd/monitoring.coreos.com_${kind.toLowerCase()}s.yaml`,
  )
  const { spec } = parse(readFileSync(file, "utf8")) as {
    readonly spec: {
      readonly versions: ReadonlyArray<{ readonly schema: { readonly openAPIV3Schema: Schema } }>
    }
  }
  const schema = spec.versions[0]?.schema.openAPIV3Schema
  const close = (each: Schema | undefined): void => {
    if (each === undefined) return
    if (each.properties !== undefined) each.additionalProperties ??= false
    for (const property of Object.values(each.properties ?? {})) close(property)
    close(each.items)
  }
  close(schema?.properties?.["spec"])
  writeSchema(kind, "-monitoring-v1", schema ?? {})
}

const masterKey = Buffer.alloc(32, 7).toString("base64")

const least = {
  baseUrl: "https://tocsin.example.com",
  database: { existingSecret: "database", existingSecretKey: "uri" },
  masterKey: { existingSecret: "keys" },
}

const all = {
  ...least,
  image: { digest: `sha256:${"a".repeat(64)}`, pullSecrets: ["registry"] },
  database: { url: "postgres://tocsin:secret@database/tocsin" },
  masterKey: { value: masterKey, previous: masterKey },
  bootstrapCredentials: {
    value: [{ organization: "acme", clientId: "me", clientSecret: masterKey, role: "editor" }],
  },
  config: { TOCSIN_LOG_LEVEL: "warning", TOCSIN_QUOTA_DEFINITIONS: 1_000_000 },
  egressCa: { configMap: "authorities" },
  autoscaling: { enabled: true },
  ingress: { enabled: true, className: "nginx", tlsSecret: "certificate", annotations: { a: "b" } },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }] },
  probe: { enabled: true, prober: "blackbox:9115", labels: { release: "prometheus" } },
  metrics: {
    port: 9100,
    from: [{ namespaceSelector: {} }],
    serviceMonitor: { enabled: true, interval: "30s", labels: { release: "prometheus" } },
  },
  serviceAccount: { annotations: { a: "b" } },
  service: { annotations: { a: "b" } },
  podAnnotations: { a: "b" },
  podLabels: { team: "sre" },
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "a", operator: "Exists" }],
  affinity: { nodeAffinity: {} },
  priorityClassName: "high",
  extraVolumes: [{ name: "ca", secret: { secretName: "ca" } }],
  extraVolumeMounts: [{ name: "ca", mountPath: "/etc/postgresql", readOnly: true }],
}

/** Renders the chart with values as an installation does; `release` names it. */
const render = (values: object, release = "tocsin"): Promise<string> => {
  const file = join(folder, `${crypto.randomUUID()}.json`)
  writeFileSync(file, JSON.stringify(values))
  return run(helm, ["template", release, chart, "--values", file, "--kube-version", kubernetesVersion])
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly stringData?: Readonly<Record<string, string>>
}

const manifestsOf = (text: string): ReadonlyArray<Manifest> =>
  parseAllDocuments(text).flatMap((document) =>
    document.contents === null ? [] : [document.toJS() as Manifest],
  )

const check = async (text: string): Promise<Readonly<Record<string, number>>> => {
  const file = join(folder, `${crypto.randomUUID()}.yaml`)
  writeFileSync(file, text)
  const location = `${schemas}/{{.ResourceKind}}{{.KindSuffix}}.json`
  const args = ["-strict", "-summary", "-output", "json", "-schema-location", location, file]
  return (JSON.parse(await run(kubeconform, args)) as { readonly summary: Record<string, number> }).summary
}

interface PodSpec {
  readonly enableServiceLinks: boolean
  readonly automountServiceAccountToken: boolean
  readonly terminationGracePeriodSeconds: number
  readonly containers: ReadonlyArray<{
    readonly securityContext: object
    readonly env: ReadonlyArray<{
      readonly name: string
      readonly value?: string
      readonly valueFrom?: object
    }>
    readonly readinessProbe: { readonly periodSeconds: number; readonly failureThreshold: number }
  }>
}

const podsOf = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<PodSpec> =>
  manifests.flatMap(({ kind, spec }) => {
    if (kind === "Pod") return [spec as unknown as PodSpec]
    return kind === "Deployment"
      ? [(spec as { readonly template: { readonly spec: PodSpec } }).template.spec]
      : []
  })

/** That of the deployment. */
const podOf = (manifests: ReadonlyArray<Manifest>): PodSpec | undefined =>
  podsOf(manifests.filter(({ kind }) => kind === "Deployment"))[0]

describe("the Helm chart", () => {
  it("passes helm lint", async () => {
    const file = join(folder, "lint.json")
    writeFileSync(file, JSON.stringify(all))
    const report = await run(helm, [
      "lint",
      chart,
      "--strict",
      "--values",
      file,
      "--kube-version",
      kubernetesVersion,
    ])
    expect(report).toContain("1 chart(s) linted, 0 chart(s) failed")
  })

  it.each([
    ["with the least values", least, 6],
    ["with all values", all, 12],
  ])("renders manifests that Kubernetes accepts, %s", async (_, values, count) => {
    expect(await check(await render(values))).toEqual({ valid: count, invalid: 0, errors: 0, skipped: 0 })
  })

  it("has Prometheus read the metrics of each server on a port of their own", async () => {
    const manifests = manifestsOf(await render(all))
    const find = (kind: string, name: string) =>
      manifests.find((each) => each.kind === kind && each.metadata.name === name)?.spec
    expect(find("ServiceMonitor", "tocsin")?.["endpoints"]).toEqual([
      {
        port: "metrics",
        path: "/metrics",
        interval: "30s",
        relabelings: [{ targetLabel: "job", replacement: "tocsin-metrics" }],
      },
    ])
    expect(find("Service", "tocsin-metrics")).toMatchObject({
      clusterIP: "None",
      ports: [{ name: "metrics", port: 9100, targetPort: "metrics" }],
    })
    expect(find("Service", "tocsin")?.["ports"]).toEqual([{ name: "http", port: 80, targetPort: "http" }])
    expect(podOf(manifests)?.containers[0]?.env).toContainEqual({
      name: "TOCSIN_METRICS_PORT",
      value: "9100",
    })
    const without = await render({ ...least, metrics: { enabled: false } })
    expect(without).not.toMatch(/METRICS|metrics/)
  })

  it("is checked by schemas that reject wrong manifests", async () => {
    const manifests = await render(least)
    await expect(check(manifests.replace("replicas: 2", "replicas: two"))).rejects.toThrow("/spec/replicas")
    await expect(check(manifests.replace("revisionHistoryLimit", "revisionHistory"))).rejects.toThrow(
      "revisionHistory",
    )
  })

  it("keeps secrets out of the environment, and rolls out when they change", async () => {
    const manifests = manifestsOf(await render(all))
    const secret = manifests.find(({ kind }) => kind === "Secret")
    expect(Object.keys(secret?.stringData ?? {}).toSorted()).toEqual([
      "DATABASE_URL",
      "TOCSIN_BOOTSTRAP_CREDENTIALS",
      "TOCSIN_MASTER_KEY",
      "TOCSIN_PREVIOUS_MASTER_KEY",
    ])
    expect(JSON.parse(secret?.stringData?.["TOCSIN_BOOTSTRAP_CREDENTIALS"] ?? "")).toEqual(
      all.bootstrapCredentials.value,
    )
    const deployment = JSON.stringify(manifests.filter(({ kind }) => kind !== "Secret"))
    expect(deployment).not.toContain(masterKey)
    expect(deployment).not.toContain("postgres://")
    const checksum = (text: string) => /checksum\/secret: (\w+)/.exec(text)?.[1]
    const other = { ...all, database: { url: "postgres://tocsin:other@database/tocsin" } }
    expect(checksum(await render(other))).not.toBe(checksum(await render(all)))
  })

  it("reads existing secrets, and creates none", async () => {
    const manifests = manifestsOf(await render(least))
    expect(manifests.some(({ kind }) => kind === "Secret")).toBe(false)
    expect(podOf(manifests)?.containers[0]?.env).toEqual(
      expect.arrayContaining([
        { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "database", key: "uri" } } },
        {
          name: "TOCSIN_MASTER_KEY",
          valueFrom: { secretKeyRef: { name: "keys", key: "TOCSIN_MASTER_KEY" } },
        },
      ]),
    )
  })

  it("writes numbers of the configuration as they are", async () => {
    expect(podOf(manifestsOf(await render(all)))?.containers[0]?.env).toContainEqual({
      name: "TOCSIN_QUOTA_DEFINITIONS",
      value: "1000000",
    })
  })

  it("runs pods as the Pod Security Standard `restricted` demands", async () => {
    const pods = podsOf(manifestsOf(await render(all)))
    expect(pods).toHaveLength(2)
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        // Its variables, such as TOCSIN_PORT, would be unknown variables of the server.
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      })
      for (const container of pod.containers)
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        })
    }
  })

  it("lets servers stop before they are killed, and notice before they stop", async () => {
    const pod = podOf(manifestsOf(await render({ ...least, drainSeconds: 30 })))
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(30 + 20 + 20)
    const { readinessProbe } = podOf(manifestsOf(await render(least)))?.containers[0] ?? {}
    expect(
      (readinessProbe?.periodSeconds ?? 0) * (readinessProbe?.failureThreshold ?? 0),
    ).toBeLessThanOrEqual(10)
  })

  it("leaves the number of servers to the autoscaler", async () => {
    const deployment = manifestsOf(await render(all)).find(({ kind }) => kind === "Deployment")
    expect(deployment?.spec).not.toHaveProperty("replicas")
  })

  it("names objects after the release, with names that are not too long", async () => {
    const names = async (release: string) =>
      manifestsOf(await render(least, release)).map(({ metadata }) => metadata.name)
    expect(new Set(await names("prod"))).toEqual(
      new Set(["prod-tocsin", "prod-tocsin-metrics", "prod-tocsin-test-ready"]),
    )
    for (const name of await names("a".repeat(53))) expect(name.length).toBeLessThanOrEqual(63)
  })

  it.each([
    ["a missing base URL", { ...least, baseUrl: "" }, "baseUrl is required"],
    ["no database", { ...least, database: {} }, "database.url or database.existingSecret is required"],
    ["no master key", { ...least, masterKey: {} }, "masterKey.value or masterKey.existingSecret is required"],
    ["an invalid master key", { ...least, masterKey: { value: "secret" } }, "masterKey"],
    ["two databases", { ...least, database: { url: "postgres://a", existingSecret: "b" } }, "set either"],
    ["a misspelled variable", { ...least, config: { TOCSIN_LOG_LVEL: "info" } }, "TOCSIN_LOG_LVEL"],
    [
      "a variable with a value of its own",
      { ...least, config: { TOCSIN_BASE_URL: "https://a" } },
      "TOCSIN_BASE_URL",
    ],
    ["metrics on the port of the API", { ...least, metrics: { port: 8080 } }, "/metrics/port"],
    ["a misspelled value", { ...least, replica: 3 }, "replica"],
    ["a probe without a prober", { ...least, probe: { enabled: true } }, "probe.prober is required"],
  ])("rejects %s", async (_, values, message) => {
    await expect(render(values)).rejects.toThrow(message)
  })
})
