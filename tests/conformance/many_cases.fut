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

-- ==
-- entry: deep
-- input { [0, 7, 63, 64, 65, 255, 256, 299, 300, -1] }
-- output { [6000, 750, 94, 93, 91, 24, 24, 20, -1, 5999] }

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

-- The same on the side where the condition holds.
def inwards (x: i32) (y: i32): i32 =
  if x > 0 then if x > 1 then if x > 2 then if x > 3 then if x > 4 then if x > 5 then if x > 6 then if x > 7 then if x > 8 then if x > 9 then
  if x > 10 then if x > 11 then if x > 12 then if x > 13 then if x > 14 then if x > 15 then if x > 16 then if x > 17 then if x > 18 then
  if x > 19 then if x > 20 then if x > 21 then if x > 22 then if x > 23 then if x > 24 then if x > 25 then if x > 26 then if x > 27 then
  if x > 28 then if x > 29 then if x > 30 then if x > 31 then if x > 32 then if x > 33 then if x > 34 then if x > 35 then if x > 36 then
  if x > 37 then if x > 38 then if x > 39 then if x > 40 then if x > 41 then if x > 42 then if x > 43 then if x > 44 then if x > 45 then
  if x > 46 then if x > 47 then if x > 48 then if x > 49 then if x > 50 then if x > 51 then if x > 52 then if x > 53 then if x > 54 then
  if x > 55 then if x > 56 then if x > 57 then if x > 58 then if x > 59 then if x > 60 then if x > 61 then if x > 62 then if x > 63 then
  if x > 64 then if x > 65 then if x > 66 then if x > 67 then if x > 68 then if x > 69 then if x > 70 then if x > 71 then if x > 72 then
  if x > 73 then if x > 74 then if x > 75 then if x > 76 then if x > 77 then if x > 78 then if x > 79 then if x > 80 then if x > 81 then
  if x > 82 then if x > 83 then if x > 84 then if x > 85 then if x > 86 then if x > 87 then if x > 88 then if x > 89 then if x > 90 then
  if x > 91 then if x > 92 then if x > 93 then if x > 94 then if x > 95 then if x > 96 then if x > 97 then if x > 98 then if x > 99 then
  if x > 100 then if x > 101 then if x > 102 then if x > 103 then if x > 104 then if x > 105 then if x > 106 then if x > 107 then if x > 108 then
  if x > 109 then if x > 110 then if x > 111 then if x > 112 then if x > 113 then if x > 114 then if x > 115 then if x > 116 then if x > 117 then
  if x > 118 then if x > 119 then if x > 120 then if x > 121 then if x > 122 then if x > 123 then if x > 124 then if x > 125 then if x > 126 then
  if x > 127 then if x > 128 then if x > 129 then if x > 130 then if x > 131 then if x > 132 then if x > 133 then if x > 134 then if x > 135 then
  if x > 136 then if x > 137 then if x > 138 then if x > 139 then if x > 140 then if x > 141 then if x > 142 then if x > 143 then if x > 144 then
  if x > 145 then if x > 146 then if x > 147 then if x > 148 then if x > 149 then if x > 150 then if x > 151 then if x > 152 then if x > 153 then
  if x > 154 then if x > 155 then if x > 156 then if x > 157 then if x > 158 then if x > 159 then if x > 160 then if x > 161 then if x > 162 then
  if x > 163 then if x > 164 then if x > 165 then if x > 166 then if x > 167 then if x > 168 then if x > 169 then if x > 170 then if x > 171 then
  if x > 172 then if x > 173 then if x > 174 then if x > 175 then if x > 176 then if x > 177 then if x > 178 then if x > 179 then if x > 180 then
  if x > 181 then if x > 182 then if x > 183 then if x > 184 then if x > 185 then if x > 186 then if x > 187 then if x > 188 then if x > 189 then
  if x > 190 then if x > 191 then if x > 192 then if x > 193 then if x > 194 then if x > 195 then if x > 196 then if x > 197 then if x > 198 then
  if x > 199 then if x > 200 then if x > 201 then if x > 202 then if x > 203 then if x > 204 then if x > 205 then if x > 206 then if x > 207 then
  if x > 208 then if x > 209 then if x > 210 then if x > 211 then if x > 212 then if x > 213 then if x > 214 then if x > 215 then if x > 216 then
  if x > 217 then if x > 218 then if x > 219 then if x > 220 then if x > 221 then if x > 222 then if x > 223 then if x > 224 then if x > 225 then
  if x > 226 then if x > 227 then if x > 228 then if x > 229 then if x > 230 then if x > 231 then if x > 232 then if x > 233 then if x > 234 then
  if x > 235 then if x > 236 then if x > 237 then if x > 238 then if x > 239 then if x > 240 then if x > 241 then if x > 242 then if x > 243 then
  if x > 244 then if x > 245 then if x > 246 then if x > 247 then if x > 248 then if x > 249 then if x > 250 then if x > 251 then if x > 252 then
  if x > 253 then if x > 254 then if x > 255 then if x > 256 then if x > 257 then if x > 258 then if x > 259 then if x > 260 then if x > 261 then
  if x > 262 then if x > 263 then if x > 264 then if x > 265 then if x > 266 then if x > 267 then if x > 268 then if x > 269 then if x > 270 then
  if x > 271 then if x > 272 then if x > 273 then if x > 274 then if x > 275 then if x > 276 then if x > 277 then if x > 278 then if x > 279 then
  if x > 280 then if x > 281 then if x > 282 then if x > 283 then if x > 284 then if x > 285 then if x > 286 then if x > 287 then if x > 288 then
  if x > 289 then if x > 290 then if x > 291 then if x > 292 then if x > 293 then if x > 294 then if x > 295 then if x > 296 then if x > 297 then
  if x > 298 then if x > 299 then -1 else y / 300 else y / 299 else y / 298 else y / 297 else y / 296 else y / 295 else y / 294 else y / 293
  else y / 292 else y / 291 else y / 290 else y / 289 else y / 288 else y / 287 else y / 286 else y / 285 else y / 284 else y / 283 else y / 282
  else y / 281 else y / 280 else y / 279 else y / 278 else y / 277 else y / 276 else y / 275 else y / 274 else y / 273 else y / 272 else y / 271
  else y / 270 else y / 269 else y / 268 else y / 267 else y / 266 else y / 265 else y / 264 else y / 263 else y / 262 else y / 261 else y / 260
  else y / 259 else y / 258 else y / 257 else y / 256 else y / 255 else y / 254 else y / 253 else y / 252 else y / 251 else y / 250 else y / 249
  else y / 248 else y / 247 else y / 246 else y / 245 else y / 244 else y / 243 else y / 242 else y / 241 else y / 240 else y / 239 else y / 238
  else y / 237 else y / 236 else y / 235 else y / 234 else y / 233 else y / 232 else y / 231 else y / 230 else y / 229 else y / 228 else y / 227
  else y / 226 else y / 225 else y / 224 else y / 223 else y / 222 else y / 221 else y / 220 else y / 219 else y / 218 else y / 217 else y / 216
  else y / 215 else y / 214 else y / 213 else y / 212 else y / 211 else y / 210 else y / 209 else y / 208 else y / 207 else y / 206 else y / 205
  else y / 204 else y / 203 else y / 202 else y / 201 else y / 200 else y / 199 else y / 198 else y / 197 else y / 196 else y / 195 else y / 194
  else y / 193 else y / 192 else y / 191 else y / 190 else y / 189 else y / 188 else y / 187 else y / 186 else y / 185 else y / 184 else y / 183
  else y / 182 else y / 181 else y / 180 else y / 179 else y / 178 else y / 177 else y / 176 else y / 175 else y / 174 else y / 173 else y / 172
  else y / 171 else y / 170 else y / 169 else y / 168 else y / 167 else y / 166 else y / 165 else y / 164 else y / 163 else y / 162 else y / 161
  else y / 160 else y / 159 else y / 158 else y / 157 else y / 156 else y / 155 else y / 154 else y / 153 else y / 152 else y / 151 else y / 150
  else y / 149 else y / 148 else y / 147 else y / 146 else y / 145 else y / 144 else y / 143 else y / 142 else y / 141 else y / 140 else y / 139
  else y / 138 else y / 137 else y / 136 else y / 135 else y / 134 else y / 133 else y / 132 else y / 131 else y / 130 else y / 129 else y / 128
  else y / 127 else y / 126 else y / 125 else y / 124 else y / 123 else y / 122 else y / 121 else y / 120 else y / 119 else y / 118 else y / 117
  else y / 116 else y / 115 else y / 114 else y / 113 else y / 112 else y / 111 else y / 110 else y / 109 else y / 108 else y / 107 else y / 106
  else y / 105 else y / 104 else y / 103 else y / 102 else y / 101 else y / 100 else y / 99 else y / 98 else y / 97 else y / 96 else y / 95
  else y / 94 else y / 93 else y / 92 else y / 91 else y / 90 else y / 89 else y / 88 else y / 87 else y / 86 else y / 85 else y / 84 else y / 83
  else y / 82 else y / 81 else y / 80 else y / 79 else y / 78 else y / 77 else y / 76 else y / 75 else y / 74 else y / 73 else y / 72 else y / 71
  else y / 70 else y / 69 else y / 68 else y / 67 else y / 66 else y / 65 else y / 64 else y / 63 else y / 62 else y / 61 else y / 60 else y / 59
  else y / 58 else y / 57 else y / 56 else y / 55 else y / 54 else y / 53 else y / 52 else y / 51 else y / 50 else y / 49 else y / 48 else y / 47
  else y / 46 else y / 45 else y / 44 else y / 43 else y / 42 else y / 41 else y / 40 else y / 39 else y / 38 else y / 37 else y / 36 else y / 35
  else y / 34 else y / 33 else y / 32 else y / 31 else y / 30 else y / 29 else y / 28 else y / 27 else y / 26 else y / 25 else y / 24 else y / 23
  else y / 22 else y / 21 else y / 20 else y / 19 else y / 18 else y / 17 else y / 16 else y / 15 else y / 14 else y / 13 else y / 12 else y / 11
  else y / 10 else y / 9 else y / 8 else y / 7 else y / 6 else y / 5 else y / 4 else y / 3 else y / 2 else y / 1

entry deep (xs: []i32) = map2 inwards xs (map (+ 6000) xs)
