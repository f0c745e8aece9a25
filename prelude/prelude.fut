-- | All that a program sees without asking.

open import "functional"
open import "math"
open import "array"
open import "soacs"
open import "zip"
open import "ad"
open import "intrinsics"
