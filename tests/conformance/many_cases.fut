-- A match of 300 cases, which C shall not have as 300 blocks in each other: clang, and with it OpenCL, takes 256 brackets.
-- ==
-- entry: one
-- input { 0 } output { 0 }
-- input { 70 } output { 37 }
-- input { 299 } output { 89 }
-- input { 300 } output { -1 }

-- ==
-- entry: each
-- input { [0, 7, 63, 64, 65, 255, 256, 299, 300, -1] }
-- output { [0, 98, 67, 100, 34, 49, 62, 89, -1, -1] }

-- ==
-- entry: rows
-- input { 7i64 } output { [398, 472, 450, 433, 522, 414, -10] }

def value (x: i32): i32 =
  match x
  case 0 -> 0 case 1 -> 8 case 2 -> 18 case 3 -> 30 case 4 -> 44 case 5 -> 60 case 6 -> 78 case 7 -> 98 case 8 -> 19 case 9 -> 43 case 10 -> 69 case 11 -> 97
  case 12 -> 26 case 13 -> 58 case 14 -> 92 case 15 -> 27 case 16 -> 65 case 17 -> 4 case 18 -> 46 case 19 -> 90 case 20 -> 35 case 21 -> 83 case 22 -> 32 case 23 -> 84
  case 24 -> 37 case 25 -> 93 case 26 -> 50 case 27 -> 9 case 28 -> 71 case 29 -> 34 case 30 -> 100 case 31 -> 67 case 32 -> 36 case 33 -> 7 case 34 -> 81 case 35 -> 56
  case 36 -> 33 case 37 -> 12 case 38 -> 94 case 39 -> 77 case 40 -> 62 case 41 -> 49 case 42 -> 38 case 43 -> 29 case 44 -> 22 case 45 -> 17 case 46 -> 14 case 47 -> 13
  case 48 -> 14 case 49 -> 17 case 50 -> 22 case 51 -> 29 case 52 -> 38 case 53 -> 49 case 54 -> 62 case 55 -> 77 case 56 -> 94 case 57 -> 12 case 58 -> 33 case 59 -> 56
  case 60 -> 81 case 61 -> 7 case 62 -> 36 case 63 -> 67 case 64 -> 100 case 65 -> 34 case 66 -> 71 case 67 -> 9 case 68 -> 50 case 69 -> 93 case 70 -> 37 case 71 -> 84
  case 72 -> 32 case 73 -> 83 case 74 -> 35 case 75 -> 90 case 76 -> 46 case 77 -> 4 case 78 -> 65 case 79 -> 27 case 80 -> 92 case 81 -> 58 case 82 -> 26 case 83 -> 97
  case 84 -> 69 case 85 -> 43 case 86 -> 19 case 87 -> 98 case 88 -> 78 case 89 -> 60 case 90 -> 44 case 91 -> 30 case 92 -> 18 case 93 -> 8 case 94 -> 0 case 95 -> 95
  case 96 -> 91 case 97 -> 89 case 98 -> 89 case 99 -> 91 case 100 -> 95 case 101 -> 0 case 102 -> 8 case 103 -> 18 case 104 -> 30 case 105 -> 44 case 106 -> 60 case 107 -> 78
  case 108 -> 98 case 109 -> 19 case 110 -> 43 case 111 -> 69 case 112 -> 97 case 113 -> 26 case 114 -> 58 case 115 -> 92 case 116 -> 27 case 117 -> 65 case 118 -> 4 case 119 -> 46
  case 120 -> 90 case 121 -> 35 case 122 -> 83 case 123 -> 32 case 124 -> 84 case 125 -> 37 case 126 -> 93 case 127 -> 50 case 128 -> 9 case 129 -> 71 case 130 -> 34 case 131 -> 100
  case 132 -> 67 case 133 -> 36 case 134 -> 7 case 135 -> 81 case 136 -> 56 case 137 -> 33 case 138 -> 12 case 139 -> 94 case 140 -> 77 case 141 -> 62 case 142 -> 49 case 143 -> 38
  case 144 -> 29 case 145 -> 22 case 146 -> 17 case 147 -> 14 case 148 -> 13 case 149 -> 14 case 150 -> 17 case 151 -> 22 case 152 -> 29 case 153 -> 38 case 154 -> 49 case 155 -> 62
  case 156 -> 77 case 157 -> 94 case 158 -> 12 case 159 -> 33 case 160 -> 56 case 161 -> 81 case 162 -> 7 case 163 -> 36 case 164 -> 67 case 165 -> 100 case 166 -> 34 case 167 -> 71
  case 168 -> 9 case 169 -> 50 case 170 -> 93 case 171 -> 37 case 172 -> 84 case 173 -> 32 case 174 -> 83 case 175 -> 35 case 176 -> 90 case 177 -> 46 case 178 -> 4 case 179 -> 65
  case 180 -> 27 case 181 -> 92 case 182 -> 58 case 183 -> 26 case 184 -> 97 case 185 -> 69 case 186 -> 43 case 187 -> 19 case 188 -> 98 case 189 -> 78 case 190 -> 60 case 191 -> 44
  case 192 -> 30 case 193 -> 18 case 194 -> 8 case 195 -> 0 case 196 -> 95 case 197 -> 91 case 198 -> 89 case 199 -> 89 case 200 -> 91 case 201 -> 95 case 202 -> 0 case 203 -> 8
  case 204 -> 18 case 205 -> 30 case 206 -> 44 case 207 -> 60 case 208 -> 78 case 209 -> 98 case 210 -> 19 case 211 -> 43 case 212 -> 69 case 213 -> 97 case 214 -> 26 case 215 -> 58
  case 216 -> 92 case 217 -> 27 case 218 -> 65 case 219 -> 4 case 220 -> 46 case 221 -> 90 case 222 -> 35 case 223 -> 83 case 224 -> 32 case 225 -> 84 case 226 -> 37 case 227 -> 93
  case 228 -> 50 case 229 -> 9 case 230 -> 71 case 231 -> 34 case 232 -> 100 case 233 -> 67 case 234 -> 36 case 235 -> 7 case 236 -> 81 case 237 -> 56 case 238 -> 33 case 239 -> 12
  case 240 -> 94 case 241 -> 77 case 242 -> 62 case 243 -> 49 case 244 -> 38 case 245 -> 29 case 246 -> 22 case 247 -> 17 case 248 -> 14 case 249 -> 13 case 250 -> 14 case 251 -> 17
  case 252 -> 22 case 253 -> 29 case 254 -> 38 case 255 -> 49 case 256 -> 62 case 257 -> 77 case 258 -> 94 case 259 -> 12 case 260 -> 33 case 261 -> 56 case 262 -> 81 case 263 -> 7
  case 264 -> 36 case 265 -> 67 case 266 -> 100 case 267 -> 34 case 268 -> 71 case 269 -> 9 case 270 -> 50 case 271 -> 93 case 272 -> 37 case 273 -> 84 case 274 -> 32 case 275 -> 83
  case 276 -> 35 case 277 -> 90 case 278 -> 46 case 279 -> 4 case 280 -> 65 case 281 -> 27 case 282 -> 92 case 283 -> 58 case 284 -> 26 case 285 -> 97 case 286 -> 69 case 287 -> 43
  case 288 -> 19 case 289 -> 98 case 290 -> 78 case 291 -> 60 case 292 -> 44 case 293 -> 30 case 294 -> 18 case 295 -> 8 case 296 -> 0 case 297 -> 95 case 298 -> 91 case 299 -> 89
  case _ -> -1

entry one (x: i32) = value x

entry each (xs: []i32) = map value xs

entry rows (n: i64) =
  let steps = map (\i -> i32.i64 (i * 50)) (iota n)
  in map (\k -> loop sum = 0 for i < 10i32 do sum + value (k + i)) steps
