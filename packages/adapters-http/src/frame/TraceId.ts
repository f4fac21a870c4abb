import { randomUUID } from "node:crypto"

/** A new id that an answer and its log lines share: 32 hexadecimal digits. Source: decision 0501. */
export const newTraceId = (): string => randomUUID().replaceAll("-", "")
