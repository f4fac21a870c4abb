import { Button, Group } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { Link } from "wouter"
import type { DefinitionKey } from "../api/Definitions.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { shownName } from "../components/ObjectName.ts"
import { DateTime } from "../components/RelativeTime.tsx"
import { rich, t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import { type ListedSilence, useSilenceStates } from "./SilenceState.tsx"

/** Says that alerts of an SLO are silenced now, by what and until when; with an alert policy, only what applies to its alerts. */
export const SilencedNotice = ({
  slo: { project, name: slo },
  alertPolicy,
}: {
  readonly slo: DefinitionKey
  readonly alertPolicy?: DefinitionKey | undefined
}) => {
  const { data = [] } = useSilenceStates({ project, slo })
  return data
    .filter(
      (each) =>
        each.state === "active" &&
        (alertPolicy === undefined ||
          each.alertPolicy === undefined ||
          each.alertPolicy.name === alertPolicy.name),
    )
    .map((each) => <Active key={each.name} silence={each} />)
}

const Active = ({
  silence: { project, name, displayName, alertPolicy, endTime, isRecurring },
}: {
  readonly silence: ListedSilence
}) => {
  const isEditor = useIsEditor()
  const queryClient = useQueryClient()
  const page = `/silences/${project}/${name}`
  const silence = () => <Link href={page}>{shownName({ name, displayName })}</Link>
  const end = useMutation({
    // Code that only this action needs.
    mutationFn: async () => (await import("./EndSilence.ts")).endSilence({ project, name }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
  return (
    <Notice kind="info" role="status">
      <p>
        {endTime === undefined
          ? rich("Alerts are silenced by <silence></silence>.", { silence })
          : rich("Alerts are silenced until {time} by <silence></silence>.", {
              time: <DateTime at={endTime} />,
              silence,
            })}{" "}
        {alertPolicy !== undefined &&
          t("This applies only to the alert policy {name}.", { name: alertPolicy.name })}
      </p>
      {isEditor && (
        <Group gap="xs">
          {!isRecurring && (
            <Button variant="default" size="compact-sm" loading={end.isPending} onClick={() => end.mutate()}>
              {t("End silence")}
            </Button>
          )}
          <Button variant="default" size="compact-sm" component={Link} href={`${page}/edit`}>
            {t("Edit silence")}
          </Button>
        </Group>
      )}
      <ErrorNotice error={end.error} />
    </Notice>
  )
}
