import { Button, CloseButton, Group, Progress } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { api, poll } from "../api/Queries.ts"
import { Check } from "../components/Icon.tsx"
import { Card } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor, useSession } from "../session/Session.ts"
import css from "./FirstSteps.module.css"

/** How often a step that is not done is read again. */
const refreshMs = 10_000

/** SLOs that are looked at for data. */
const slosRead = 100

interface Step {
  readonly title: string
  readonly description: string
  readonly isDone: boolean
  readonly actions: ReadonlyArray<readonly [href: string, text: string]>
}

/**
 * What a new organization does until its first notification, each step with its action and whether it is done.
 *
 * Whether a step is done is read from the API. Renders nothing while that is unknown, when all are done, and after the
 * user has hidden it.
 */
export const FirstSteps = () => {
  const { organization } = useSession()
  const isEditor = useIsEditor()
  const storageKey = `tocsin.first-steps.${organization}`
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(storageKey) === "hidden")
  const steps = useSteps(!isHidden)
  if (isHidden || steps === undefined) return null
  const done = steps.filter(({ isDone }) => isDone).length
  if (done === steps.length) return null
  const next = steps.findIndex(({ isDone }) => !isDone)
  const hide = (): void => {
    localStorage.setItem(storageKey, "hidden")
    setIsHidden(true)
  }
  return (
    <div className="no-kiosk">
      <Card
        title={t("First steps")}
        aside={
          <Group gap="sm">
            <span className="dim small">
              {t("{done, number} of {all, number} done", { done, all: steps.length })}
            </span>
            <CloseButton aria-label={t("Hide first steps")} title={t("Hide first steps")} onClick={hide} />
          </Group>
        }
      >
        <Progress value={(100 * done) / steps.length} aria-hidden />
        {!isEditor && <p className="dim">{t("Your role is viewer. An editor can take these steps.")}</p>}
        <ol className={css.steps}>
          {steps.map((step, at) => (
            <StepItem key={step.title} step={step} number={at + 1} isNext={at === next}>
              {isEditor && !step.isDone && (
                <Group gap="xs">
                  {step.actions.map(([href, text], action) => (
                    <Button
                      key={href}
                      component={Link}
                      href={href}
                      size="compact-md"
                      variant={at === next && action === 0 ? "filled" : "default"}
                    >
                      {text}
                    </Button>
                  ))}
                </Group>
              )}
            </StepItem>
          ))}
        </ol>
      </Card>
    </div>
  )
}

const StepItem = ({
  step: { title, description, isDone },
  number,
  isNext,
  children,
}: {
  readonly step: Step
  readonly number: number
  readonly isNext: boolean
  readonly children: ReactNode
}) => (
  <li className={css.step} data-done={isDone} aria-current={isNext ? "step" : undefined}>
    <span className={css.mark} aria-hidden="true">
      {isDone ? <Check /> : number}
    </span>
    <div className={css.text}>
      <h3>
        {title}
        {isDone && <span className={css.done}> {t("Done")}</span>}
      </h3>
      {!isDone && <p className="dim">{description}</p>}
    </div>
    {children}
  </li>
)

/** The steps in their order; undefined until all are known. */
const useSteps = (isEnabled: boolean): ReadonlyArray<Step> | undefined => {
  const options = { enabled: isEnabled, refetchInterval: poll(refreshMs) }
  const sources = api.useQuery("get", "/api/datasources", { params: { query: { limit: 1 } } }, options)
  const slos = api.useQuery("get", "/api/console/slos", { params: { query: { limit: slosRead } } }, options)
  const methods = api.useQuery(
    "get",
    "/api/console/alertmethods",
    { params: { query: { limit: 1 } } },
    options,
  )
  const policies = useDocuments("alertpolicies", {}, options)
  const delivered = api.useQuery(
    "get",
    "/api/deliveries",
    { params: { query: { limit: 1, state: ["delivered"] } } },
    options,
  )
  if (
    sources.data === undefined ||
    slos.data === undefined ||
    methods.data === undefined ||
    policies.data === undefined ||
    delivered.data === undefined
  ) {
    return undefined
  }
  const hasCounts = slos.data.data.some(({ objectives }) =>
    objectives.some(({ reliability }) => reliability !== undefined),
  )
  return [
    {
      title: t("Provide data"),
      description: t("Connect Prometheus as a data source, or send counts of good and total events."),
      isDone: sources.data.data.length > 0 || hasCounts,
      actions: [["/data-sources/new", t("Create data source")]],
    },
    {
      title: t("Create an SLO"),
      description: t("Set the target of a service in a time window."),
      isDone: slos.data.data.length > 0,
      actions: [["/slos/new", t("Create SLO")]],
    },
    {
      title: t("Create an alert method"),
      description: t("Enter the webhook that receives notifications."),
      isDone: methods.data.data.length > 0,
      actions: [["/alert-methods/new", t("Create alert method")]],
    },
    {
      title: t("Create an alert policy"),
      description: t("Set the burn rate or error budget at which the alert method is notified."),
      isDone: policies.data.length > 0,
      actions: [["/alert-policies/new", t("Create alert policy")]],
    },
    {
      title: t("Receive the first notification"),
      description: t(
        "Send a test, then wait for an alert. This step is done when a notification was delivered.",
      ),
      isDone: delivered.data.data.length > 0,
      actions: [
        ["/alert-methods", t("Send test")],
        ["/signing", t("Verify notifications")],
      ],
    },
  ]
}
