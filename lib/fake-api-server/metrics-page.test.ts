import { describe, expect, it } from "vitest";
import { goFloat, MetricsPage } from "./metrics-page.ts";

describe("goFloat", () => {
  it.each([
    [0, "0"],
    [361, "361"],
    [0.0125, "0.0125"],
    [0.00001, "1e-05"],
    [999_999, "999999"],
    [1_000_000, "1e+06"],
    [240_060_000, "2.4006e+08"],
    [1_796_043_525.99, "1.79604352599e+09"],
    [-1, "-1"],
    [Number.POSITIVE_INFINITY, "+Inf"],
    [Number.NaN, "NaN"],
  ])("%d is written %s", (value, text) => {
    expect(goFloat(value)).toBe(text);
  });
});

describe("MetricsPage", () => {
  it("sorts families and labels, keeps le last, and escapes label values", () => {
    const page = new MetricsPage();
    page.family("zeta", "gauge", "ALPHA", "z").add({ b: "2", a: 'say "hi"\\' }, 1);
    page.family("alpha", "histogram", "BETA", "a").addHistogram({ verb: "GET" }, [0.5, 1], [2, 1, 4], 9.5);
    expect(page.text()).toBe(`# HELP alpha [BETA] a
# TYPE alpha histogram
alpha_bucket{verb="GET",le="0.5"} 2
alpha_bucket{verb="GET",le="1"} 3
alpha_bucket{verb="GET",le="+Inf"} 7
alpha_sum{verb="GET"} 9.5
alpha_count{verb="GET"} 7
# HELP zeta [ALPHA] z
# TYPE zeta gauge
zeta{a="say \\"hi\\"\\\\",b="2"} 1
`);
  });
});
