import type { DefinitionDocument } from "@tocsin/api"
import { bodyOf, client, rejection } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { readStored, saveAlone } from "../editor/Merging.ts"
import { t } from "../language/Text.tsx"

type AlertSilence = DefinitionDocument<"AlertSilence">

/** Ends a silence now, if it is not over anyway. */
export const endSilence = async (key: DefinitionKey): Promise<void> => {
  const stored = await readStored<AlertSilence>("alertsilences", key)
  const silence = stored.definition
  if (silence === undefined) throw rejection(t("The silence was deleted."))
  const { period } = silence.spec
  if (period === undefined) throw rejection(t("A recurring silence can’t be ended. Delete it instead."))
  const start = Date.parse(period.startTime ?? "")
  if (start > Date.now()) throw rejection(t("The silence has not started yet. Delete it instead."))
  const { data } = await bodyOf(client.GET("/api/console/silences", { params: { query: key } }))
  if (data[0]?.state === "ended") return
  const { duration: _until, ...rest } = period
  await saveAlone(stored, {
    ...silence,
    spec: { ...silence.spec, period: { ...rest, endTime: new Date().toISOString() } },
  } as AlertSilence)
}
