import * as Result from "effect/Result"
import {
  parseTemplate,
  renderTemplate,
  sampleVariableValues,
  templateMaxBytes,
  templateMaxDepth,
  variables,
} from "@tocsin/domain/template"
import { templateIssuesMax } from "../../src/template/Template.ts"
import { variableValues } from "../../src/template/Variable.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyTemplate, anyText, anyValues } from "./templates.ts"

const issuesOf = (text: string) => {
  const parsed = parseTemplate(text)
  if (Result.isSuccess(parsed)) throw new Error(`parses: ${text.slice(0, 80)}`)
  return parsed.failure
}

const rendered = (text: string, values = sampleVariableValues) => {
  const parsed = parseTemplate(text)
  if (Result.isFailure(parsed)) throw new Error(JSON.stringify(parsed.failure))
  return renderTemplate(parsed.success, values)
}

describe("what a template says", () => {
  it("spec/templates §4: parsing a rendering gives back exactly the values, in their places", () => {
    fc.assert(
      fc.property(anyTemplate, anyValues, (template, values) => {
        expect(JSON.parse(rendered(template.text, values))).toStrictEqual(template.said(values))
      }),
      { numRuns: 1000 },
    )
  })

  it("spec/templates §4: the same holds after the rendering went through UTF-8", () => {
    fc.assert(
      fc.property(anyTemplate, anyValues, (template, values) => {
        const bytes = new TextEncoder().encode(rendered(template.text, values))
        expect(JSON.parse(new TextDecoder().decode(bytes))).toStrictEqual(template.said(values))
      }),
    )
  })

  it("spec/templates §4: a value that looks like a variable is not expanded", () => {
    const values = { ...sampleVariableValues, slo_name: "$severity", alert_policy_conditions: ["$slo_name"] }
    expect(rendered('{"a":"$slo_name","b":$alert_policy_conditions[]}', values)).toBe(
      '{"a":"$severity","b":["$slo_name"]}',
    )
  })

  it("spec/templates §4: quotes, line breaks, U+2028 and lone surrogates in values stay what they are", () => {
    const text = '"\n\u2028\ud800\\'
    const body = rendered('{"a":"<$slo_name>"}', { ...sampleVariableValues, slo_name: text })
    expect(body).toBe('{"a":"<\\"\\n\u2028\\ud800\\\\>"}')
    expect(JSON.parse(body)).toStrictEqual({ a: `<${text}>` })
  })

  it("spec/templates §4: the layout is compact, keys keep their order and numbers their digits", () => {
    const text =
      ' { "z" : 1.50 ,\r\n\t"1": [ -0 , 1E+2, 12345678901234567890, true , null ] , "a":{ } , "b":[ ] } '
    expect(rendered(text)).toBe('{"z":1.50,"1":[-0,1E+2,12345678901234567890,true,null],"a":{},"b":[]}')
  })

  it("spec/templates §4: a template without variables says what it says as JSON", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = json.replaceAll("$", "\\u0024")
        expect(JSON.parse(rendered(text))).toStrictEqual(JSON.parse(json))
      }),
    )
  })

  it("spec/templates §5: a variable that does not apply is the empty text, and the array is []", () => {
    expect(rendered('{"a":"$anomaly_type","b":$alert_policy_conditions[]}', variableValues({}))).toBe(
      '{"a":"","b":[]}',
    )
  })

  it("spec/templates §2: a template of the contract's six variables", () => {
    const text = `{
  "conditions": $alert_policy_conditions[],
  "text": "$alert_policy_conditions_text",
  "slo": "$slo_name ($slo_labels_text)",
  "service": "$service_labels_text",
  "policy": "$alert_policy_labels_text"
}`
    expect(JSON.parse(rendered(text))).toStrictEqual({
      conditions: sampleVariableValues.alert_policy_conditions,
      text: sampleVariableValues.alert_policy_conditions_text,
      slo: `${sampleVariableValues.slo_name} (${sampleVariableValues.slo_labels_text})`,
      service: sampleVariableValues.service_labels_text,
      policy: sampleVariableValues.alert_policy_labels_text,
    })
  })

  it("spec/templates §3: a whole template may be one string or one array", () => {
    expect(rendered('"$slo_name"')).toBe('"checkout-latency"')
    expect(JSON.parse(rendered(" $alert_policy_conditions[] "))).toStrictEqual(
      sampleVariableValues.alert_policy_conditions,
    )
  })
})

describe("what names a variable", () => {
  it("spec/templates §2: a dollar sign before anything but a lower-case letter or an underscore is a dollar sign", () => {
    expect(rendered('["$5", "$ ", "$Abc", "$", "a$", "$$", "$[]"]')).toBe(
      '["$5","$ ","$Abc","$","a$","$$","$[]"]',
    )
  })

  it("spec/templates §2: an escaped dollar sign is literal", () => {
    expect(rendered('"\\u0024slo_name"')).toBe('"$slo_name"')
  })

  it("spec/templates §2: a name ends where an escape starts", () => {
    expect(rendered('"$slo_name\\u005fx"')).toBe('"checkout-latency_x"')
    expect(rendered('"$slo_name\\u005b]"')).toBe('"checkout-latency[]"')
  })

  it("spec/templates §2: the name is the longest run of letters and underscores", () => {
    expect(rendered('"$slo_nameX$slo_name-$slo_name[0]"')).toBe(
      '"checkout-latencyXcheckout-latency-checkout-latency[0]"',
    )
    expect(issuesOf('"$slo_namex"')).toMatchObject([
      { code: "variable_unknown", hint: "Did you mean $slo_name?" },
    ])
  })

  it("spec/templates §2: an unknown variable is reported with its position and the nearest one", () => {
    expect(issuesOf('{\n  "a": "in $sloname",\r\n  "b": $alert_policy_condition[]\r}')).toStrictEqual([
      {
        code: "variable_unknown",
        message: "There is no variable $sloname.",
        line: 2,
        column: 12,
        hint: "Did you mean $slo_name?",
      },
      {
        code: "variable_unknown",
        message: "There is no variable $alert_policy_condition[].",
        line: 3,
        column: 8,
        hint: "Did you mean $alert_policy_conditions[]?",
      },
    ])
    expect(issuesOf('"$price"')[0]?.hint).toContain("\\u0024")
    expect(issuesOf('"$constructor"')[0]?.code).toBe("variable_unknown")
    expect(issuesOf("$__proto__")[0]?.code).toBe("variable_unknown")
  })

  it("spec/templates §1: every variable of the catalogue can be written in its place", () => {
    for (const variable of variables) {
      const text = variable.type === "array" ? `$${variable.name}[]` : `"$${variable.name}"`
      expect(JSON.parse(rendered(text))).toStrictEqual(variable.sample)
    }
  })
})

describe("where a variable may stand", () => {
  it.each([
    ["text outside a string", '{"a": $slo_name}', "text_outside_string", 7, '"$slo_name"'],
    [
      "the array inside a string",
      '"$alert_policy_conditions[]"',
      "array_in_string",
      2,
      "$alert_policy_conditions_text",
    ],
    [
      "the array's name inside a string",
      '"$alert_policy_conditions"',
      "array_in_string",
      2,
      "without quotes",
    ],
    [
      "the array without brackets",
      "$alert_policy_conditions",
      "brackets_missing",
      1,
      "$alert_policy_conditions[]",
    ],
    ["text with brackets", '"$slo_name[]"', "brackets_not_allowed", 2, "Write $slo_name."],
    ["text with brackets outside a string", "$slo_name[]", "brackets_not_allowed", 1, '"$slo_name"'],
    ["a variable in a key", '{"$slo_name": 1}', "variable_in_key", 3, "in the value"],
    ["an unknown variable in a key", '{"a $x": 1}', "variable_in_key", 5, "in the value"],
  ])("spec/templates §3: %s is rejected, with what to write", (_, text, code, column, hint) => {
    const issues = issuesOf(text)
    expect(issues).toHaveLength(1)
    expect(issues[0]).toMatchObject({ code, line: 1, column })
    expect(issues[0]?.hint).toContain(hint)
  })

  it("spec/templates §3: keys of JSON Schema and of cards are literal text, and other keys are told how to be", () => {
    const card = '{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","a":{"$data":"$slo_name"}}'
    expect(rendered(card)).toBe(card.replace("$slo_name", sampleVariableValues.slo_name))
    expect(rendered('{"\\u0024x":1}')).toBe('{"$x":1}')
    expect(
      issuesOf('{"$schema_":1,"a$schema":2,"$schemas":3,"$sc\\u0068ema":4}').map(({ hint }) => hint),
    ).toEqual(
      ["schema_", "schema", "schemas", "sc"].map((name): unknown =>
        expect.stringContaining(`"\\u0024${name}"`),
      ),
    )
  })

  it("spec/templates §3: all issues are reported at once, in the order of their positions", () => {
    const text = '{"a": "$x_y", "a": $slo_name, "$b": 01, "c": "\\q\t", "d": [True,], "e" 1}'
    expect(issuesOf(text).map((issue) => [issue.code, issue.column])).toStrictEqual([
      ["variable_unknown", 8],
      ["key_duplicate", 15],
      ["text_outside_string", 20],
      ["variable_in_key", 32],
      ["not_json", 37],
      ["not_json", 47],
      ["not_json", 49],
      ["not_json", 59],
      ["not_json", 63],
      ["not_json", 71],
    ])
  })
})

describe("only JSON is accepted", () => {
  it("spec/templates §4: texts without variables parse exactly when JSON.parse takes them", () => {
    const piece = fc.constantFrom(
      ..."{}[],:\"\\/ \t\n\u0001\u007f\u00a0\ufeff0123456789-+.eEutrbfn'xA\ud800".split(""),
      ...'true false null "" "a" "b": [] {} 1.5 -0 1e5 \\u00e9 \\n NaN'.split(" "),
    )
    const mutated = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), piece, fc.nat(2))
      .map(([json, at, inserted, cut]) => {
        const place = at % (json.length + 1)
        return json.slice(0, place) + inserted + json.slice(place + cut)
      })
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
      mutated,
      anyText,
    )
    fc.assert(
      fc.property(text, (any) => {
        const written = any.replaceAll("$", "€")
        const parsed = parseTemplate(written)
        if (Result.isFailure(parsed) && parsed.failure.every((issue) => issue.code === "key_duplicate"))
          return
        expect(Result.isSuccess(parsed)).toBe(isJson(written))
      }),
      { numRuns: 5000 },
    )
  })

  it.each([
    "",
    " \n",
    "{",
    "[1",
    '"a',
    "{,}",
    "{a:1}",
    "{'a':1}",
    "[1 2]",
    "1 2",
    "// x\n1",
    "\ufeff1",
    "$Slo",
    "$",
    "}",
  ])("spec/alert-methods §3, spec/templates §3: %j is not JSON", (text) => {
    const issues = issuesOf(text)
    expect(issues.map((issue) => issue.code)).toStrictEqual(["not_json"])
  })

  it("spec/templates §3: issues are reported at their position", () => {
    expect(issuesOf("")).toStrictEqual([
      {
        code: "not_json",
        message: "The template is empty.",
        line: 1,
        column: 1,
        hint: "Write a JSON value.",
      },
    ])
    expect(issuesOf("{\n \"a\": 'b'\n}")).toStrictEqual([
      {
        code: "not_json",
        message: 'Expected a value, found "\'".',
        line: 2,
        column: 7,
        hint: "JSON strings need double quotes.",
      },
    ])
    expect(issuesOf('{"a": "b\n}')).toMatchObject([{ line: 1, column: 9 }])
    expect(issuesOf('{"a":\n  "b}')).toMatchObject([{ line: 2, column: 3 }])
    expect(issuesOf("[1,\n]")).toMatchObject([{ line: 1, column: 3, hint: "Remove the comma." }])
    expect(issuesOf('{"a": 1')).toMatchObject([
      { message: 'The template ends where "," or "}" is expected.' },
    ])
    expect(issuesOf('["\u0001"]')).toMatchObject([{ message: "A string cannot contain U+0001.", column: 3 }])
    expect(issuesOf("[😀]")).toMatchObject([{ message: 'Expected a value, found "😀".' }])
  })

  it("a duplicate key in one object is rejected, however it is escaped", () => {
    expect(issuesOf('{"a":1,\n "\\u0061":2}')).toMatchObject([{ code: "key_duplicate", line: 2, column: 2 }])
    expect(issuesOf('{"$a":1,"$b":2,"":3}').map((issue) => issue.code)).toStrictEqual([
      "variable_in_key",
      "variable_in_key",
    ])
    expect(rendered('{"a":{"a":1},"b":{"a":1},"__proto__":2}')).toBe(
      '{"a":{"a":1},"b":{"a":1},"__proto__":2}',
    )
  })
})

describe("hostile templates", () => {
  it("spec/templates §10: a template of 64 KiB is taken and one byte more is rejected", () => {
    const bytes = templateMaxBytes
    expect(Result.isSuccess(parseTemplate(`"${"a".repeat(bytes - 2)}"`))).toBe(true)
    expect(issuesOf(`"${"a".repeat(bytes - 1)}"`)).toMatchObject([{ code: "too_large", line: 1, column: 1 }])
    expect(Result.isSuccess(parseTemplate(`"${"é".repeat((bytes - 2) / 2)}"`))).toBe(true)
    expect(issuesOf(`"${"é".repeat(bytes / 2)}"`)).toMatchObject([{ code: "too_large" }])
  })

  it("nesting of 64 is taken and 65 is rejected, without using up the stack", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
    expect(rendered(nested(templateMaxDepth))).toBe(nested(templateMaxDepth))
    expect(issuesOf(nested(templateMaxDepth + 1))).toMatchObject([
      { code: "too_deep", column: templateMaxDepth + 1 },
    ])
    expect(issuesOf("[".repeat(templateMaxBytes))).toMatchObject([{ code: "too_deep" }])
    expect(issuesOf('{"a":'.repeat(10_000))).toMatchObject([{ code: "too_deep" }])
  })

  it("at most 100 issues are reported", () => {
    expect(issuesOf(`"${"$x".repeat(10_000)}"`)).toHaveLength(templateIssuesMax)
    expect(issuesOf(`[${"01,".repeat(10_000)}]`)).toHaveLength(templateIssuesMax)
  })

  it("hostile texts of 64 KiB all return", () => {
    const size = templateMaxBytes - 16
    const fill = (part: string) => part.repeat(Math.floor(size / part.length))
    const hostile = [
      `"${fill("$")}"`,
      `"${fill("$x")}"`,
      `"$${fill("a")}"`,
      `"$${fill("_")}`,
      `"${fill("$slo_name")}"`,
      `"${fill("$slo_name\\n")}"`,
      `"${fill("\\u0024")}"`,
      `"${fill("\\x")}"`,
      `[${fill("$alert_policy_conditions[],")}1]`,
      `{${fill('"":1,')}"a":1}`,
      `{${Array.from({ length: 6000 }, (_, i) => `"k${i}":0`).join(",")}}`,
      `[${fill("01,")}1]`,
      `${fill("1")}x`,
      `-${fill("1e")}`,
      `${fill("\n")}"`,
      `[${fill("\r\n1,")}x]`,
      fill(" "),
      fill('"'),
    ]
    for (const text of hostile) {
      const parsed = parseTemplate(text)
      if (Result.isSuccess(parsed)) JSON.parse(renderTemplate(parsed.success, sampleVariableValues))
      else expect(parsed.failure.length).toBeLessThanOrEqual(templateIssuesMax)
    }
  })

  it("any text returns, with positions inside it", () => {
    fc.assert(
      fc.property(
        fc.array(anyText).map((parts) => parts.join("$slo")),
        (text) => {
          const parsed = parseTemplate(text)
          if (Result.isSuccess(parsed)) return
          const lines = text.split(/\r\n|\n|\r/)
          for (const issue of parsed.failure) {
            expect(issue.column).toBeGreaterThanOrEqual(1)
            expect(issue.column).toBeLessThanOrEqual((lines[issue.line - 1]?.length ?? -2) + 2)
          }
        },
      ),
    )
  })
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
