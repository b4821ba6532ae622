"""Term programs."""

import gchr
import pytest

PLUS = """
sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
var X, Y : Nat;
eqn Plus(Zero(), Y) = Y;
    Plus(S(X), Y) = S(Plus(X, Y));
input Plus(S(Zero()), S(Zero()));
"""

TREES = """
sort Tree = struct Leaf() | Node(Tree, Tree) | Full(Int);
var n : Int;
var t : Tree;
map Twice : Tree -> Tree;
eqn Full(0) = Leaf();
    n > 0 -> Full(n) = Twice(Full(n - 1));
    Twice(t) = Node(t, t);
"""


def test_normal_forms_are_terms():
    program = gchr.Program(text=PLUS, language="trs")
    assert program.language == "terms"
    value = program.evaluate()
    assert (value.functor, len(value)) == ("S", 1)
    assert value.to_tuple() == ("S", ("S", ("Zero",)))
    session = program.session()
    assert session.evaluate("Plus(S^2(Zero()), Zero())") == value
    assert hash(session.evaluate(("Plus", value, ("Zero",)))) == hash(value)
    assert session.evaluate(("Plus", value, value)).to_tuple() == ("S", ("S", ("S", ("S", ("Zero",)))))
    assert value[0][0].args == () and value[-1].functor == "S"
    with pytest.raises(IndexError):
        value[1]
    assert session.evaluate_with_stats(("Zero",)).stats["rewrites"] == 0
    assert "Zero" in repr(value) and not value.is_variable


def test_numbers_are_numbers():
    text = "map F : Int -> Int; G : Int -> Bool; H : Int -> Float; var n : Int;"
    text += " eqn F(n) = n * n; G(n) = n > 1; H(n) = 0.5;"
    session = gchr.Program(text=text, language="trs").session()
    assert session.evaluate("F(12)") == 144
    assert session.evaluate(("F", 3)) == 9
    assert session.evaluate(("G", 2)) is True
    assert session.evaluate("H(1)") == 0.5


def test_shared_and_deep_terms():
    session = gchr.Program(text=TREES, language="trs").session()
    value = session.evaluate("Full(60)")
    assert value[0][1][0].functor == "Node"
    nested = value.to_tuple()
    assert nested[1] is nested[2]
    deep = gchr.Program(text=PLUS, language="trs").session().evaluate("Plus(S^300000(Zero()), Zero())")
    depth, part = 0, deep.to_tuple()
    while part != ("Zero",) and len(part) == 2:
        depth, part = depth + 1, part[1]
    assert depth == 300000


def test_other_formats(tmp_path):
    maude = tmp_path / "double.maude"
    maude.write_text("fmod D is protecting NAT . op d : Nat -> Nat . var N : Nat . eq d(N) = N + N . endfm\n")
    assert gchr.Program(maude).evaluate("d(21)") == 42
    with pytest.raises(gchr.ProgramError):
        gchr.Program(tmp_path / "missing.trs")


def test_wrong_terms_and_limits():
    session = gchr.Program(text=PLUS, language="trs").session()
    for wrong in ["Plus(Zero()", "Minus(Zero())", "Plus(1, 2)"]:
        with pytest.raises(gchr.ProgramError):
            session.evaluate(wrong)
    for wrong in [None, (), [1], ("Plus", None)]:
        if wrong is not None:
            with pytest.raises(TypeError):
                session.evaluate(wrong)
    with pytest.raises(gchr.RunError) as caught:
        session.evaluate("Plus(S^1000(Zero()), Zero())", max_steps=10)
    assert caught.value.stats["rewrites"] >= 10
    with pytest.raises(gchr.ProgramError):
        session.run("p(1)")
    assert session.evaluate("Zero()").to_tuple() == ("Zero",)
    with pytest.raises(gchr.ProgramError):
        gchr.Program(text=":- chr_constraint p(+int).\n").session().evaluate("p(1)")


def test_simulated_kernels_evaluate_terms():
    session = gchr.Program(text=PLUS, language="trs").session(device="sim")
    assert session.evaluate("Plus(S(Zero()), S(Zero()))").to_tuple() == ("S", ("S", ("Zero",)))
