import { minuteMs } from "../codec/MinuteInstant.ts"
import { addSums, type MinuteStates, type MinuteSums } from "./HourOfCounts.ts"
import {
  ByteReader,
  BytesAreInvalid,
  ByteWriter,
  readColumn,
  readColumnInto,
  writeColumn,
} from "./PackedColumn.ts"
import { namesFromBytes, namesToBytes } from "./PackedNames.ts"

/** The sums of each track of an SLO in periods one after the other; `undefined` where it has no counts. */
export type PeriodSums = ReadonlyMap<string, ReadonlyArray<MinuteSums | undefined>>

/**
 * The sums of all tracks in so many periods as bytes, and back, without any loss.
 *
 * The version, the number of periods, and the names of the tracks. Of each track: 1 if it has states of minutes, or else 0; a bit for
 * each period in which it has counts; and a column of each sum, with as many numbers. Instants are in minutes since 1970.
 */
export const packSums = (periods: number, tracks: PeriodSums): Uint8Array => {
  const names = [...tracks.keys()].toSorted()
  const writer = new ByteWriter()
  writer.byte(version)
  writer.varint(periods)
  namesToBytes(writer, names)
  for (const name of names) {
    const sums = tracks.get(name) ?? []
    const present = sums.flatMap((each) => (each === undefined ? [] : [each]))
    const hasStates = present.some(({ states }) => states !== undefined)
    writer.byte(hasStates ? 1 : 0)
    writer.bits(
      Array.from({ length: periods }, (_, index) => (sums[index] === undefined ? 0 : 1)),
      0,
      1,
    )
    for (const field of fields)
      writeColumn(
        writer,
        present.map((each) => each[field]),
      )
    if (!hasStates) continue
    for (const read of stateFields)
      writeColumn(
        writer,
        present.map(({ states }) => (states === undefined ? 0 : read(states))),
      )
  }
  return writer.bytes
}

/** Reads what `packSums` has written; throws `BytesAreInvalid` for anything else. */
export const unpackSums = (bytes: Uint8Array): PeriodSums => {
  const reader = new SumsReader(bytes)
  const sums = reader.next()
  reader.end()
  return sums
}

/** Reads what `packSums` has written several times, one after the other; throws `BytesAreInvalid` for anything else. */
export class SumsReader {
  readonly #reader: ByteReader

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes)
  }

  next(): PeriodSums {
    const reader = this.#reader
    const found = reader.byte()
    if (found !== version) throw new BytesAreInvalid(`sums have version ${found}; only ${version} is known`)
    const periods = reader.varint()
    if (periods > periodsMax) throw new BytesAreInvalid(`${periods} periods are too many`)
    const tracks = new Map<string, ReadonlyArray<MinuteSums | undefined>>()
    for (const name of namesFromBytes(reader)) tracks.set(name, readTrack(reader, periods))
    return tracks
  }

  /** Fails if anything follows. */
  end(): void {
    if (!this.#reader.isAtEnd) throw new BytesAreInvalid("bytes follow sums")
  }
}

const readTrack = (reader: ByteReader, periods: number): ReadonlyArray<MinuteSums | undefined> => {
  const hasStates = reader.byte() === 1
  const { presence, good, total, minutes, goodShares, goodMinutes } = columns
  reader.bits(presence, 0, 1, periods)
  let count = 0
  for (let index = 0; index < periods; index++) count += presence[index] ?? 0
  readColumnInto(good, reader, count)
  readColumnInto(total, reader, count)
  readColumnInto(minutes, reader, count)
  readColumnInto(goodShares, reader, count)
  readColumnInto(goodMinutes, reader, count)
  const states = hasStates ? stateFields.map(() => readColumn(reader, count)) : undefined
  const sums: Array<MinuteSums | undefined> = []
  for (let index = 0, place = 0; index < periods; index++) {
    if (presence[index] !== 1) {
      sums.push(undefined)
      continue
    }
    const each: MinuteSums = {
      good: good[place] ?? 0,
      total: total[place] ?? 0,
      minutes: minutes[place] ?? 0,
      goodShares: goodShares[place] ?? 0,
      goodMinutes: goodMinutes[place] ?? 0,
    }
    sums.push(states === undefined ? each : { ...each, states: statesAt(states, place) })
    place++
  }
  return sums
}

/** The sum of all periods of each track, as one period; tracks without counts are left out. */
export const totalOfPeriods = (tracks: PeriodSums): PeriodSums => {
  const totals = new Map<string, ReadonlyArray<MinuteSums>>()
  for (const [name, sums] of tracks) {
    let total: MinuteSums | undefined
    for (const each of sums) if (each !== undefined) total = addSums(total, each)
    if (total !== undefined) totals.set(name, [total])
  }
  return totals
}

const version = 1

/** More periods than a day or a month has are no sums. */
const periodsMax = 64

const newColumn = () => new Float64Array(periodsMax)

/** The columns of the track that is being read: new ones for each would take longer than reading them. */
const columns = {
  presence: newColumn(),
  good: newColumn(),
  total: newColumn(),
  minutes: newColumn(),
  goodShares: newColumn(),
  goodMinutes: newColumn(),
}

const fields = ["good", "total", "minutes", "goodShares", "goodMinutes"] as const

/** What is stored of states. */
const stateFields: ReadonlyArray<(states: MinuteStates) => number> = [
  ({ counted }) => counted,
  ({ carriedBad }) => carriedBad,
  ({ events }) => (events === undefined ? 0 : events.isLastGood ? 2 : 1),
  ({ events }) => (events?.firstAt ?? 0) / minuteMs,
  ({ events }) => (events?.lastAt ?? 0) / minuteMs,
]

const statesAt = (columns: ReadonlyArray<Float64Array>, place: number): MinuteStates => {
  const [counted = 0, carriedBad = 0, last = 0, first = 0, end = 0] = columns.map(
    (column) => column[place] ?? 0,
  )
  return {
    counted,
    carriedBad,
    ...(last > 0 && {
      events: { firstAt: first * minuteMs, lastAt: end * minuteMs, isLastGood: last === 2 },
    }),
  }
}
