import type { MethodHealth } from "@tocsin/domain"
import { timeText } from "../frame/TimeText.ts"

export const healthToJson = ({ health, pause, isAllPaused }: MethodHealth): object => ({
  isDisabled: health.disabled !== undefined,
  ...(health.disabled && {
    disabledAt: timeText(health.disabled.at),
    disabledBecause: health.disabled.because,
  }),
  failures: health.failures,
  ...(health.failingSince !== undefined && { failingSince: timeText(health.failingSince) }),
  ...(health.lastSuccessAt !== undefined && { lastSuccessAt: timeText(health.lastSuccessAt) }),
  ...(health.circuitOpenUntil !== undefined && { circuitOpenUntil: timeText(health.circuitOpenUntil) }),
  ...pause,
  isAllPaused,
})
