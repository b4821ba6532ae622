% Operators and atoms of Unicode's symbols are written as they are read.
:- use_module(library(chr)).
:- op(700, xfx, ≤).
:- op(200, fy, ¬).
:- op(100, xf, '²').
:- chr_constraint ≤(?, ?), ¬(?), holds(?).
X ≤ X <=> true.
X ≤ Y, Y ≤ X <=> X = Y.
X ≤ Y \ X ≤ Y <=> true.
X ≤ Y, Y ≤ Z ==> X ≤ Z.
¬ ¬ X <=> holds(X).
%? A ≤ B, B ≤ C
%= A≤C
%= B≤C
%= A≤B
%? ¬ ¬ p(X), ¬ q(X)
%= ¬q(X)
%= holds(p(X))
%? X = f(≤, '→', 'a→', '→a', '≤≥', '∑', 'Σ', 'ℕ', '½', '₁', '€', ¬ a, - (≤), 3 ≤ -1, Y²)
%= X = f(≤, →, 'a→', '→a', ≤≥, ∑, 'Σ', 'ℕ', ½, '₁', €, ¬a, - (≤), 3≤ -1, Y²)
%? holds(X), writeq(['≤'|'≤']), writeq('≤'(+, -)), nl
%= [≤|≤](+)≤(-)
%= holds(X)
