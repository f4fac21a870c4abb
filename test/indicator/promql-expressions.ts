/** Expressions that Prometheus accepts as queries of a range. */
export const validExpressions: ReadonlyArray<string> = [
  'sum(increase(orders_total{code!~"5.."}[1m])) or vector(0)',
  "sum by (job) (rate(a[5m:1m] offset 1m))",
  "sum(a) by (job)",
  "topk(3, a) / on (x) group_left (y) b",
  "a == bool 1",
  "a @ end() - a offset -5m",
  '{"http.requests", code="200"}',
  "time() - 1",
  "-a # a comment",
  "histogram_fraction(0, 0.3, rate(a[1m])) * histogram_count(rate(a[1m]))",
  'label_replace(a, "x", "$1", "y", "(.*)")',
  'count_values("version", build_info)',
  "quantile_over_time(0.5, a[1m])",
  "max_over_time(rate(a[1m])[1h:1m])",
  "absent_over_time((a[5m]))",
  "SUM(a)",
  "NaN",
]

/** Expressions that Prometheus rejects, and what is said of them after `is not valid PromQL at line `. */
export const invalidExpressions: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  ["sum(rate(a[1m])", '1, column 16: a ")" is missing'],
  ['a{b="c"', '1, column 8: a "}" is missing'],
  ['a{b="c}', "1, column 8: a quotation mark is missing"],
  ["a)", '1, column 2: unexpected ")"'],
  ["increase(a{b='c']}[1m])", '1, column 17: unexpected "]"; a "}" may be missing'],
  [
    "rate(a[$__interval])",
    "1, column 8: $__interval is a placeholder of another tool, which is not replaced here; write the range, such as 1m",
  ],
  ["a + ", "1, column 5: the expression is incomplete"],
  [" ", "1, column 2: the expression is incomplete"],
  [
    "a\n  b",
    "2, column 3: an operator, a comma or a quotation mark is missing here, or this name is misspelled",
  ],
  ["sum(incrase(a[1m]))", "1, column 5: incrase is not a function of PromQL; did you mean increase?"],
  ["xyzzy(a)", "1, column 1: xyzzy is not a function of PromQL"],
  [
    "rate(a) + rate(b)",
    "1, column 6: rate requires a range, such as [1m]",
    "1, column 16: rate requires a range, such as [1m]",
  ],
  ["abs(a[1m])", "1, column 5: a range gives no value of its own; use a function of it, such as increase(…)"],
  ["a[1m]", "1, column 1: a range gives no value of its own; use a function of it, such as increase(…)"],
  ["sum(a[1m])", "1, column 5: a range gives no value of its own; use a function of it, such as increase(…)"],
  ['"x"', "1, column 1: a string is not a number or series"],
  ['1 + "x"', "1, column 5: a string is not a number or series"],
  [
    "sum(rate(a[1m])[5m])",
    "1, column 5: a range gives no value of its own; use a function of it, such as increase(…)",
    "1, column 16: a range is allowed only after a series; write a subquery, such as [5m:1m]",
  ],
  ["{}", "1, column 1: a selector requires a metric name or a label"],
]
