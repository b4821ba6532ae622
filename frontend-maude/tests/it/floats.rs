//! Floats: as constants of terms, and what is computed with them. Values are those of Maude, with the fewest digits.

use super::check;

#[test]
fn floats_in_terms() {
    check(
        "fmod M is protecting FLOAT .  sort E .  ops e f : Float -> E .  var X : Float .  eq f(2.50) = e(1.0) .  eq f(X) = e(X) [owise] . endfm",
        &[
            ("f(1.50)", "e(1.5)"),
            ("f(25.0e-1)", "e(1.0)"),
            ("f(1.25 + 1.25)", "e(1.0)"),
            ("e(-2.5e-3)", "e(-0.0025)"),
            ("e(.5) == e(0.5)", "true"),
            ("e(1.0e+100)", "e(1.0e100)"),
            ("e(Infinity)", "e(Infinity)"),
            ("1.5 :: FiniteFloat and not (Infinity :: FiniteFloat)", "true"),
        ],
    );
}

#[test]
fn floats_are_computed_with() {
    check(
        "fmod M is protecting FLOAT .  protecting INT .  sort S .  op none : -> S .  subsort Float < S .
           op _;_ : S S -> S [assoc comm id: none] .  op pow : Float Nat -> Float .  op sign : Float -> Int .
           vars F G : Float .  var N : Nat .  var S : S .
           eq pow(F, 0) = 1.0 .  eq pow(F, s N) = F * pow(F, N) .
           eq sign(0.0) = 0 .  ceq sign(F) = 1 if F > 0.0 .  ceq sign(F) = -1 if F < 0.0 .
           op least : S -> Float .  eq least(F) = F .  eq least(F ; G ; S) = least(min(F, G) ; S) . endfm",
        &[
            ("0.1 + 0.2", "0.30000000000000004"),
            ("3.0 - 1.0 - 1.0", "1.0"),
            ("pow(1.5, 3)", "3.375"),
            ("1.0 / 3.0", "0.3333333333333333"),
            ("1.0 / 0.0", "1.0 / 0.0"),
            ("0.0 / 0.0", "0.0 / 0.0"),
            ("- 1.5", "-1.5"),
            ("0.0 == - 0.0", "true"),
            ("sign(-0.0) + sign(- 0.0) + sign(0.0 * -1.0)", "0"),
            ("sign(-2.5)", "-1"),
            ("abs(-0.0)", "0.0"),
            ("floor(-2.5)", "-3.0"),
            ("ceiling(-2.5)", "-2.0"),
            ("ceiling(-0.5)", "0.0"),
            ("floor(2.0)", "2.0"),
            ("floor(1.0e30) == 1.0e30 and ceiling(-1.0e300) == -1.0e300", "true"),
            ("min(1.0, -0.0)", "0.0"),
            ("max(1.0, 2.5)", "2.5"),
            ("1.0 < 2.0 and 2.0 <= 2.0 and not 1.0 > 1.0 and 1.5 >= 1.5", "true"),
            ("1.0 =[0.1] 1.05", "true"),
            ("1.0 =[0.01] 1.05", "false"),
            ("pi * 2.0", "6.283185307179586"),
            ("least(2.5 ; -1.0 ; none ; 4.0 ; -3.5)", "-3.5"),
            ("3.5 ; 1.0 ; -2.0 ; 1.0", "-2.0 ; 1.0 ; 1.0 ; 3.5"),
            ("F:Float + 1.0", "F + 1.0"),
            ("Infinity", "Infinity"),
            ("pow(2.0, 10) :: FiniteFloat", "true"),
        ],
    );
}
