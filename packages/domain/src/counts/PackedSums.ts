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

/**
 * Reads what `packSums` has written, of the periods from ≤ period < to; throws `BytesAreInvalid` for anything else. The others are
 * `undefined`.
 */
export const unpackSums = (bytes: Uint8Array, from = 0, to = periodsMax): PeriodSums => {
  const reader = new ByteReader(bytes)
  readVersion(reader)
  const periods = reader.varint()
  if (periods > periodsMax) throw new BytesAreInvalid(`${periods} periods are too many`)
  const tracks = new Map<string, ReadonlyArray<MinuteSums | undefined>>()
  for (const name of namesFromBytes(reader)) tracks.set(name, readTrack(reader, periods, from, to))
  if (!reader.isAtEnd) throw new BytesAreInvalid("bytes follow sums")
  return tracks
}

const readVersion = (reader: ByteReader): void => {
  const found = reader.byte()
  if (found !== version) throw new BytesAreInvalid(`sums have version ${found}; only ${version} is known`)
}

const readTrack = (
  reader: ByteReader,
  periods: number,
  from: number,
  to: number,
): ReadonlyArray<MinuteSums | undefined> => {
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
    if (presence[index] !== 1 || index < from || index >= to) {
      sums.push(undefined)
      place += presence[index] ?? 0
      continue
    }
    const each: MinuteSums = {
      good: good[place] ?? 0,
      total: total[place] ?? 0,
      minutes: minutes[place] ?? 0,
      goodShares: goodShares[place] ?? 0,
      goodMinutes: goodMinutes[place] ?? 0,
    }
    sums.push(
      states === undefined ? each : { ...each, states: toStates(states.map((column) => column[place] ?? 0)) },
    )
    place++
  }
  return sums
}

/** The sum of all periods of each track; tracks without counts are left out. */
export const totalOfPeriods = (tracks: PeriodSums): ReadonlyMap<string, MinuteSums> => {
  const totals = new Map<string, MinuteSums>()
  for (const [name, sums] of tracks) {
    let total: MinuteSums | undefined
    for (const each of sums) if (each !== undefined) total = addSums(total, each)
    if (total !== undefined) totals.set(name, total)
  }
  return totals
}

/**
 * The sums of all tracks in one period as bytes that are read without searching for their shortest form: the version, the names of the
 * tracks, and of each track 1 if it has states of minutes, or else 0, and each sum as float64.
 */
export const packTotals = (totals: ReadonlyMap<string, MinuteSums>): Uint8Array => {
  const names = [...totals.keys()].toSorted()
  const writer = new ByteWriter()
  writer.byte(version)
  namesToBytes(writer, names)
  for (const name of names) {
    const { states, ...sums } = totals.get(name) ?? noSums
    writer.byte(states === undefined ? 0 : 1)
    for (const field of fields) writer.float64(sums[field])
    if (states !== undefined) for (const read of stateFields) writer.float64(read(states))
  }
  return writer.bytes
}

/** Reads what `packTotals` has written several times, one after the other; throws `BytesAreInvalid` for anything else. */
export class TotalsReader {
  readonly #reader: ByteReader

  /** Begins at the first period of packed sums. */
  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes)
  }

  /** Reads the next period, and adds each of its tracks. */
  next(add: (track: string, sums: MinuteSums) => void): void {
    const reader = this.#reader
    readVersion(reader)
    for (const name of namesFromBytes(reader)) {
      const hasStates = reader.byte() === 1
      reader.float64s(numbers, fields.length)
      const sums: MinuteSums = {
        good: numbers[0] ?? 0,
        total: numbers[1] ?? 0,
        minutes: numbers[2] ?? 0,
        goodShares: numbers[3] ?? 0,
        goodMinutes: numbers[4] ?? 0,
      }
      if (!hasStates) {
        add(name, sums)
        continue
      }
      reader.float64s(numbers, stateFields.length)
      add(name, { ...sums, states: toStates([...numbers]) })
    }
  }
}

const noSums: MinuteSums = { good: 0, total: 0, minutes: 0, goodShares: 0, goodMinutes: 0 }

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

/** The sums, or the states, of the track that is being read. */
const numbers = new Float64Array(fields.length)

/** What is stored of states, as many numbers as of sums. */
const stateFields: ReadonlyArray<(states: MinuteStates) => number> = [
  ({ counted }) => counted,
  ({ carriedBad }) => carriedBad,
  ({ events }) => (events === undefined ? 0 : events.isLastGood ? 2 : 1),
  ({ events }) => (events?.firstAt ?? 0) / minuteMs,
  ({ events }) => (events?.lastAt ?? 0) / minuteMs,
]

const toStates = ([
  counted = 0,
  carriedBad = 0,
  last = 0,
  first = 0,
  end = 0,
]: ReadonlyArray<number>): MinuteStates => ({
  counted,
  carriedBad,
  ...(last > 0 && {
    events: { firstAt: first * minuteMs, lastAt: end * minuteMs, isLastGood: last === 2 },
  }),
})
